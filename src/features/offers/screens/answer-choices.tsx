import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { DEFAULT_LANGUAGE, type Language } from '#shared/languages.ts'
import { chipClasses } from '#ui/chip.ts'
import { classes } from '#ui/classes.ts'
import { Select } from '#ui/select.tsx'

/** More answers, or longer ones, are read better in a list than beside each other. */
const MOST_CHIPS = 6
const LONGEST_CHIP = 24

/** Whether answers are short and few enough to stand beside each other. */
export const fitChips = (choices: readonly string[]): boolean =>
  choices.length <= MOST_CHIPS && choices.every((choice) => choice.length <= LONGEST_CHIP)

interface AnswerChoicesProps {
  id: string
  /** The label of the drop-down. */
  question: { text: string; language: Language }
  choices: readonly string[]
  /** Empty while nothing is chosen. */
  value: string
  onChoose: (choice: string) => void
  isWrong: boolean
  /** Id of the message below. */
  describedBy: string
}

/**
 * The specified drop-down (spec section 2, "Offer detail"); where the answers are few and short also one press for each, and
 * then the drop-down is as small as its arrow. The keyboard has the drop-down only (ADR 0123).
 */
export function AnswerChoices(props: AnswerChoicesProps): ReactNode {
  const { id, question, choices, value, onChoose, isWrong, describedBy } = props
  const t = useTranslations('offers.buy')
  const chips = fitChips(choices)
  return (
    <>
      <div
        className={classes('grid gap-x-3 gap-y-1.5', chips && 'grid-cols-[minmax(0,1fr)_auto] items-start')}
      >
        <label htmlFor={id} className="leading-snug font-semibold" lang={question.language}>
          {question.text}
        </label>
        <Select
          id={id}
          value={value}
          onChange={(event) => onChoose(event.target.value)}
          aria-invalid={isWrong || undefined}
          aria-describedby={describedBy}
          // Beside chips only its arrow is seen: they have its words.
          className={classes('scroll-mt-24', chips && 'w-11! min-h-11! pr-0! pl-11!')}
        >
          <option value="">{t('choose')}</option>
          {choices.map((choice) => (
            // The choices exist in one language only (spec section 3, Offer).
            <option key={choice} value={choice} lang={DEFAULT_LANGUAGE}>
              {choice}
            </option>
          ))}
        </Select>
      </div>
      {chips && (
        <div role="group" aria-label={t('choose')} className="flex flex-wrap gap-2">
          {choices.map((choice) => (
            <button
              key={choice}
              type="button"
              tabIndex={-1}
              lang={DEFAULT_LANGUAGE}
              aria-pressed={choice === value}
              data-wrong={isWrong && choice === value ? '' : undefined}
              onClick={() => onChoose(choice)}
              className={`${chipClasses} grow px-2.5`}
            >
              {choice}
            </button>
          ))}
        </div>
      )}
    </>
  )
}
