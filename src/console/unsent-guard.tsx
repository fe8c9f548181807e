import { type ReactNode, useEffect } from 'react'
import { useBlocker, useMatches } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog, UnsentTexts } from '#ui/dialog.tsx'
import { forgetUnsent, hasUnsent, watchUnsent } from '#ui/unsent.ts'

/** Texts that every dialog below uses before it throws away what somebody has written. */
export function UnsentDialogs({ children }: { children: ReactNode }): ReactNode {
  const t = useTranslations('console.unsent')
  useEffect(watchUnsent, [])
  const texts = { question: t('question'), keep: t('keep'), drop: t('drop') }
  return <UnsentTexts value={texts}>{children}</UnsentTexts>
}

/** Whether the screen asks by itself before it is left; the router has one question at a time. */
interface OwnQuestion {
  asksBeforeLeaving?: true
}

/** Asks before a link, Back or a reload throws away a written text. */
export function UnsentGuard(): ReactNode {
  const isAskedFor = useMatches().some(({ handle }) => (handle as OwnQuestion | undefined)?.asksBeforeLeaving)
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (hasUnsent()) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [])
  return isAskedFor ? null : <LeaveQuestion />
}

function LeaveQuestion(): ReactNode {
  const t = useTranslations('console.unsent')
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && hasUnsent(),
  )
  const stay = (): void => blocker.reset?.()
  return (
    <Dialog
      open={blocker.state === 'blocked'}
      onClose={stay}
      title={t('question')}
      closeText={t('keep')}
      actions={
        <>
          <Button onClick={stay}>{t('keep')}</Button>
          <Button
            variant="secondary"
            onClick={() => {
              forgetUnsent()
              blocker.proceed?.()
            }}
          >
            {t('drop')}
          </Button>
        </>
      }
    >
      {null}
    </Dialog>
  )
}
