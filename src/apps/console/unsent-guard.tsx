import { type ReactNode, useEffect } from 'react'
import { useBlocker } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog, type DialogGuard, DialogGuards } from '#ui/dialog.tsx'
import { useDeclaration } from '#console-kit/console-context.tsx'
import { forgetUnsent, hasUnsent, watchUnsent } from '#console-kit/unsent.ts'

const GUARD: DialogGuard = { holds: hasUnsent, Question }

/** Every dialog below asks before it throws away what somebody has written. */
export function UnsentDialogs({ children }: { children: ReactNode }): ReactNode {
  useEffect(watchUnsent, [])
  return <DialogGuards value={GUARD}>{children}</DialogGuards>
}

const focusFirst = (place: HTMLElement | null): void => place?.querySelector('button')?.focus()

function Question({ onKeep, onDrop }: { onKeep: () => void; onDrop: () => void }): ReactNode {
  const t = useTranslations('console.unsent')
  return (
    <div
      ref={focusFirst}
      role="alertdialog"
      aria-label={t('question')}
      className="grid gap-3 rounded-md border border-line-strong bg-sunken p-4"
    >
      <p className="font-semibold">{t('question')}</p>
      <div className="flex flex-wrap gap-3">
        <Button size="small" onClick={onKeep}>
          {t('keep')}
        </Button>
        <Button size="small" variant="secondary" onClick={onDrop}>
          {t('drop')}
        </Button>
      </div>
    </div>
  )
}

/** Asks before a link, Back or a reload throws away a written text. */
export function UnsentGuard(): ReactNode {
  const isAskedFor = useDeclaration()?.asksBeforeLeaving
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
