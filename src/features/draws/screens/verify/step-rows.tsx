import { Circle, CircleCheck, CircleMinus, CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge, type Tone } from '#ui/badge.tsx'
import { classes } from '#ui/classes.ts'
import { Progress as ProgressBar } from '#ui/progress.tsx'
import { Spinner } from '#ui/spinner.tsx'
import type { StepOutcome } from '#draw-protocol/check.ts'
import type { FaultValues, ValueName } from '#draw-protocol/faults.ts'
import { STEPS, type Step } from '#draw-protocol/steps.ts'
import type { Progress } from '#draw-protocol/verify.ts'

type Translate = ReturnType<typeof useTranslations<'verify'>>

type RowState = 'waiting' | 'checking' | 'passed' | 'failed' | 'skipped'

const LOOKS: Record<RowState, { tone: Tone; icon: ReactNode }> = {
  waiting: { tone: 'neutral', icon: <Circle aria-hidden="true" className="size-6 text-muted" /> },
  checking: { tone: 'signal', icon: <Spinner className="size-6 text-signal" /> },
  passed: { tone: 'success', icon: <CircleCheck aria-hidden="true" className="size-6 text-success" /> },
  failed: { tone: 'error', icon: <CircleX aria-hidden="true" className="size-6 text-error" /> },
  skipped: { tone: 'warning', icon: <CircleMinus aria-hidden="true" className="size-6 text-warning" /> },
}

/** The step under way: the first without a result. */
export const currentStep = (steps: readonly StepOutcome[]): Step | undefined =>
  STEPS.find((step) => !steps.some((one) => one.step === step))

interface StepRowsProps {
  steps: readonly StepOutcome[]
  progress: Progress | null
  isDone: boolean
}

/** The steps, each as a row that says what is checked and what was found. */
export function StepRows({ steps, progress, isDone }: StepRowsProps): ReactNode {
  const t = useTranslations('verify')
  const current = isDone ? undefined : currentStep(steps)
  const firstFailed = steps.find(({ outcome }) => outcome === 'failed')?.step
  return (
    <section aria-labelledby="verify-steps" className="grid grid-cols-1 gap-3">
      <h2 id="verify-steps" className="text-title">
        {t('stepsTitle')}
      </h2>
      <ol className="grid grid-cols-1 divide-y divide-line rounded-lg border border-line bg-surface">
        {STEPS.map((step, index) => {
          const result = steps.find((one) => one.step === step)
          const state = result?.outcome ?? (step === current ? 'checking' : 'waiting')
          return (
            <li
              key={step}
              data-step={step}
              data-state={state}
              className={classes(
                'flex gap-3 p-4 sm:gap-4 sm:px-5',
                step === firstFailed && 'border-l-4 border-l-error bg-error-soft',
              )}
            >
              <span className="mt-0.5 shrink-0">{LOOKS[state].icon}</span>
              <div className="grid min-w-0 grow grid-cols-1 gap-1.5">
                <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
                  <h3 className="text-lg">
                    {`${index + 1}. `}
                    {t(`steps.${step}.name`)}
                  </h3>
                  <Badge tone={LOOKS[state].tone}>{t(`states.${state}`)}</Badge>
                </div>
                <StepText step={step} result={result} />
                {state === 'checking' && (
                  <StepProgress step={step} progress={progress?.step === step ? progress : null} />
                )}
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

function StepProgress({ step, progress }: { step: Step; progress: Progress | null }): ReactNode {
  const t = useTranslations('verify')
  const { done, total } = progress ?? { done: 0, total: 1 }
  const percent = total > 0 ? Math.floor((100 * done) / total) / 100 : 0
  const text = t('progress', { at: STEPS.indexOf(step) + 1, name: t(`steps.${step}.name`), percent })
  return <ProgressBar value={done} total={total} label={text} className="mt-1" />
}

/** Why a step was not done. */
function whyText(t: Translate, result: Extract<StepOutcome, { outcome: 'skipped' }>): string {
  switch (result.why) {
    case 'not-yet':
      return t('why.notYet')
    case 'no-authority':
      return t('why.noAuthority')
    case 'unsupported':
      return t('why.unsupported')
    case 'not-given':
      return t('why.notGiven', { file: result.file })
    default:
      return t('why.needs', { name: t(`steps.${result.why}.name`) })
  }
}

function StepText({ step, result }: { step: Step; result: StepOutcome | undefined }): ReactNode {
  const t = useTranslations('verify')
  if (!result) return <p className="text-sm text-muted">{t(`steps.${step}.about`)}</p>
  if (result.outcome === 'passed') return <p className="text-sm">{t(`steps.${step}.passed`)}</p>
  if (result.outcome === 'skipped') {
    return <p className="text-sm text-muted">{whyText(t, result)}</p>
  }
  return (
    <div className="grid grid-cols-1 gap-2 text-sm">
      <FaultText fault={result} />
      <Values values={result.values} />
    </div>
  )
}

/** What is wrong, and in which line of which file. */
export function FaultText({ fault }: { fault: Extract<StepOutcome, { outcome: 'failed' }> }): ReactNode {
  const t = useTranslations('verify')
  const tFaults = useTranslations('verifyFaults')
  const file = fault.file === 'kept' ? t('keptFile') : fault.file
  return (
    <>
      <p className="font-semibold">{tFaults(`faults.${fault.code}`)}</p>
      <p className="font-semibold wrap-anywhere text-error">
        {fault.line > 0 ? t('place.line', { file, line: fault.line }) : file}
      </p>
    </>
  )
}

/** What was expected and found stands first. */
const FIRST: readonly ValueName[] = ['expected', 'found']

function Values({ values }: { values: FaultValues }): ReactNode {
  const t = useTranslations('verify')
  const tFaults = useTranslations('verifyFaults')
  const names = Object.keys(values) as ValueName[]
  const sorted = [...FIRST.filter((name) => name in values), ...names.filter((name) => !FIRST.includes(name))]
  if (sorted.length === 0) return null
  return (
    <dl className="grid grid-cols-1 gap-1.5">
      {sorted.map((name) => (
        <div key={name}>
          <dt className="text-muted">{tFaults(`values.${name}`)}</dt>
          <dd className="font-mono text-xs wrap-anywhere">{String(values[name]) || t('nothing')}</dd>
        </div>
      ))}
    </dl>
  )
}
