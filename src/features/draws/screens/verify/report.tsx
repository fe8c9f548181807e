import { type ReactNode, useEffect } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { STEPS } from '#draw-protocol/steps.ts'
import type { Kept } from './kept-fields.tsx'
import { StepRows, currentStep } from './step-rows.tsx'
import { TicketResult } from './ticket-proof.tsx'
import type { CheckState } from './use-check.ts'
import { VerdictBlock, useVerdictText } from './verdict.tsx'

interface ReportProps {
  state: Extract<CheckState, { phase: 'checking' | 'done' }>
  emailed: Pick<Kept, 'termsHash' | 'listHash'> | undefined
  fileName: string | null
  program: string | undefined
  contact: string | undefined
  /** What screen readers hear: each step once, and the verdict. */
  onSay: (text: string) => void
}

/** What a check finds, from its first step on. */
export function Report({ state, emailed, fileName, program, contact, onSay }: ReportProps): ReactNode {
  const t = useTranslations('verify')
  const verdictText = useVerdictText()
  const step = state.phase === 'checking' ? currentStep(state.steps) : undefined
  const text =
    state.phase === 'done'
      ? verdictText(state.outcome, emailed)
      : step
        ? t('announce', { at: STEPS.indexOf(step) + 1, name: t(`steps.${step}.name`) })
        : ''
  useEffect(() => onSay(text), [onSay, text])
  if (state.phase === 'checking')
    return <StepRows steps={state.steps} progress={state.progress} isDone={false} />
  const { outcome } = state
  const { ticket, terms } = outcome
  return (
    <>
      {ticket && (
        <TicketResult
          reading={{ shown: ticket, isDemonstration: terms?.demonstration ?? false }}
          total={terms?.tickets}
          contact={contact}
          claimAt={terms ? `https://${terms.host}/claim?contest=${terms.contest}` : undefined}
          isRehearsal={terms?.rehearsal}
        />
      )}
      <VerdictBlock
        outcome={outcome}
        emailed={emailed}
        fileName={fileName}
        program={program}
        contact={contact}
      />
      <StepRows steps={outcome.steps} progress={null} isDone />
    </>
  )
}
