import { type ReactNode, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { ActionForm, SelectField, TextAreaField, TextField } from '#console-kit/fields.tsx'
import { Fault } from '#console-kit/parts.tsx'
import type { Action } from '#console-kit/use-action.ts'
import { useRead } from '#console-kit/use-read.ts'
import { type MessageTemplate, gapsOf } from '../message-templates.rules.ts'
import type { FilledTemplates } from '../staff-messages.contract.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

/** What staff write, as the calls take it. */
export interface WrittenEmail {
  template: MessageTemplate
  language: Language
  subject: string
  text: string
}

interface AnswerFormProps {
  /** Of the templates: a message or a customer. */
  templatesAt: string
  /** In which the customer wrote, or uses the shop. */
  language: Language
  hint: string
  action: Action
  onSend: (email: WrittenEmail) => void
  onCancel?: () => void
}

/** Writes an email from a template: chosen, filled in and edited before it is sent. */
export function AnswerForm(props: AnswerFormProps): ReactNode {
  const { templatesAt, action, hint, onSend, onCancel } = props
  const t = useTranslations('consoleMessages')
  const languageOf = useLanguageName()
  const tCommon = useTranslations('console.common')
  const [language, setLanguage] = useState(props.language)
  const [template, setTemplate] = useState<MessageTemplate>('own')
  const { response: templates, error } = useRead<FilledTemplates>(`${templatesAt}?language=${language}`)
  const offered = templates?.find((one) => one.template === template)
  const [written, setWritten] = useState<{ of: typeof offered; subject: string; text: string }>()
  // A text that nobody has touched follows the template; one that was edited is replaced only when asked.
  const isEdited =
    written !== undefined && (written.subject !== written.of?.subject || written.text !== written.of?.text)
  const isReplaced = written !== undefined && written.of !== offered
  if (offered && (written === undefined || (isReplaced && !isEdited)))
    setWritten({ of: offered, subject: offered.subject, text: offered.text })

  const { subject = '', text = '' } = written ?? {}
  const change = (to: { subject?: string; text?: string }): void =>
    setWritten({ of: written?.of, subject, text, ...to })
  const gaps = [...new Set([...gapsOf(subject), ...gapsOf(text)])]
  const faults = action.fields
  return (
    <ActionForm
      action={action}
      className="grid grid-cols-1 gap-5"
      onSend={() => onSend({ template, language, subject, text })}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <SelectField
          label={t('answer.template')}
          error={faults['template']}
          value={template}
          disabled={!templates}
          choices={templates?.map((one) => [one.template, one.label]) ?? [[template, t('answer.loading')]]}
          onChange={(event) => setTemplate(event.target.value as MessageTemplate)}
        />
        <SelectField
          label={t('answer.language')}
          error={faults['language']}
          value={language}
          choices={LANGUAGES.map((one) => [one, languageOf(one)])}
          onChange={(event) => setLanguage(event.target.value as Language)}
        />
      </div>
      <div role="status" className="empty:absolute">
        {offered && isReplaced && isEdited && (
          <Alert
            tone="warning"
            actions={
              <>
                <Button
                  size="small"
                  variant="secondary"
                  onClick={() => setWritten({ of: offered, subject: offered.subject, text: offered.text })}
                >
                  {t('answer.replaceDo')}
                </Button>
                <Button
                  size="small"
                  variant="ghost"
                  onClick={() => setWritten({ of: offered, subject, text })}
                >
                  {t('answer.keep')}
                </Button>
              </>
            }
          >
            {t('answer.replace')}
          </Alert>
        )}
      </div>
      <TextField
        label={t('answer.subject')}
        error={faults['subject']}
        value={subject}
        maxLength={150}
        lang={language}
        onChange={(event) => change({ subject: event.target.value })}
      />
      <TextAreaField
        label={t('answer.text')}
        hint={hint}
        error={faults['text']}
        rows={14}
        value={text}
        maxLength={10_000}
        lang={language}
        onChange={(event) => change({ text: event.target.value })}
      />
      <p role="status" className="text-sm text-muted empty:absolute">
        {gaps.length > 0 && t('answer.gaps', { gaps: gaps.join(', ') })}
      </p>
      <Fault error={error ?? action.fault} />
      <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
        {onCancel && (
          <Button variant="ghost" onClick={onCancel}>
            {tCommon('cancel')}
          </Button>
        )}
        <Button type="submit" busy={action.isBusy} disabled={written === undefined}>
          {t('answer.send')}
        </Button>
      </div>
    </ActionForm>
  )
}
