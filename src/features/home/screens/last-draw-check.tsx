import verifyMessages from 'virtual:messages/verify'
import verifyReportMessages from 'virtual:messages/verifyReport'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { STEPS } from '#draw-protocol/steps.ts'
import { NOTHING_KEPT, keptOf } from '#features/draws/screens/verify/kept-fields.tsx'
import { openShopWorker } from '#features/draws/screens/verify/shop-worker.ts'
import { useCheck } from '#features/draws/screens/verify/use-check.ts'
import { LoadProgress, type LoadedBytes, loadedPack } from '#features/draws/screens/verify/verify.tsx'
import { Remarks, useVerdictText, verdictTone } from '#features/draws/screens/verify/verdict.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Progress } from '#ui/progress.tsx'

await needMessages(verifyMessages, verifyReportMessages)

interface LastDrawCheckProps {
  slug: string
  /** What this page calls the winning number: the files have to say the same. */
  number: number
}

/** Checks the last draw in this browser, at once: somebody has pressed what it takes the place of. */
export function LastDrawCheck({ slug, number }: LastDrawCheckProps): ReactNode {
  const t = useTranslations('homeBelow.fair.check')
  const tVerify = useTranslations('verify')
  const verdictText = useVerdictText()
  const { state, start } = useCheck(openShopWorker)
  const [bytes, setBytes] = useState<LoadedBytes>({ done: 0, total: null })
  const [begun, setBegun] = useState(0)
  const region = useRef<HTMLDivElement>(null)

  const begin = (): void => {
    setBegun(performance.now())
    start(() => loadedPack(`${paths.draw(slug)}/${slug}-evidence.zip`, setBytes), keptOf(NOTHING_KEPT))
  }
  const first = useEffectEvent(() => {
    region.current?.focus()
    begin()
  })
  // oxlint-disable-next-line react/set-state-in-effect -- because the press came before this part was loaded
  useEffect(() => first(), [])

  const outcome = state.phase === 'done' ? state.outcome : undefined
  const isOther =
    outcome !== undefined &&
    (outcome.terms?.contest !== slug ||
      outcome.winners.findLast(({ isForfeited }) => !isForfeited)?.number !== number)
  const verdict = outcome && (isOther && outcome.verdict === 'passed' ? t('other') : verdictText(outcome))
  const isOver = outcome !== undefined || state.phase === 'loadFailed' || state.phase === 'broken'
  return (
    <div ref={region} tabIndex={-1} className="grid w-full grid-cols-1 gap-4">
      <p role="status" className="sr-only">
        {isOver ? (verdict ?? tVerify(state.phase === 'broken' ? 'broken' : 'loadFailed')) : t('loading')}
      </p>
      {state.phase === 'loading' && <LoadProgress {...bytes} />}
      {state.phase === 'checking' && <Steps done={state.steps.length} />}
      {(state.phase === 'loadFailed' || state.phase === 'broken') && (
        <Alert tone="error">{tVerify(state.phase)}</Alert>
      )}
      {outcome && (
        <>
          <Alert tone={isOther ? 'error' : verdictTone(outcome)} title={verdict}>
            <Finished
              begun={begun}
              isWhole={outcome.verdict === 'passed' && !isOther}
              passed={outcome.steps.filter((step) => step.outcome === 'passed').length}
            />
          </Alert>
          {outcome.remarks.length > 0 && <Remarks remarks={outcome.remarks} />}
        </>
      )}
      {isOver && (
        <p className="flex flex-wrap items-center gap-x-6 gap-y-2">
          <Button variant="secondary" onClick={begin}>
            {t('again')}
          </Button>
          <AppLink to={`${paths.draw(slug)}#verify`} className="prose-link inline-flex min-h-11 items-center">
            {t('details')}
          </AppLink>
        </p>
      )}
    </div>
  )
}

function Steps({ done }: { done: number }): ReactNode {
  const t = useTranslations('verify')
  const step = STEPS[done]
  const text = step ? t('announce', { at: done + 1, name: t(`steps.${step}.name`) }) : ''
  return (
    <>
      <p>{text}</p>
      <Progress value={done} total={STEPS.length} label={text} />
    </>
  )
}

interface FinishedProps {
  begun: number
  /** Nothing failed, and nothing was left out that there could be. */
  isWhole: boolean
  passed: number
}

/** What has been checked, in how many steps, and how long this browser took, loading included. */
function Finished({ begun, isWhole, passed }: FinishedProps): ReactNode {
  const t = useTranslations('homeBelow.fair.check')
  const [seconds] = useState(() => Math.ceil((performance.now() - begun) / 100) / 10)
  return t(isWhole ? 'done' : 'partly', { passed, seconds })
}
