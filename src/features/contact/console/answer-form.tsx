import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { TextArea, TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import type { useAction } from '#console/kit/use-action.ts'
import { useRead } from '#console/kit/use-read.ts'
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
  action: ReturnType<typeof useAction>
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
  const { answer: templates, error } = useRead<FilledTemplates>(`${templatesAt}?language=${language}`)
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
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSend({ template, language, subject, text })
  }
  const faults = action.fields
  return (
    <form className="grid grid-cols-1 gap-5" onSubmit={submit} noValidate>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t('answer.template')} error={faults['template']}>
          {(ids) => (
            <Select
              {...ids}
              value={template}
              disabled={!templates}
              onChange={(event) => setTemplate(event.target.value as MessageTemplate)}
            >
              {templates ? (
                templates.map((one) => (
                  <option key={one.template} value={one.template}>
                    {one.label}
                  </option>
                ))
              ) : (
                <option value={template}>{t('answer.loading')}</option>
              )}
            </Select>
          )}
        </Field>
        <Field label={t('answer.language')} error={faults['language']}>
          {(ids) => (
            <Select
              {...ids}
              value={language}
              onChange={(event) => setLanguage(event.target.value as Language)}
            >
              {LANGUAGES.map((one) => (
                <option key={one} value={one}>
                  {languageOf(one)}
                </option>
              ))}
            </Select>
          )}
        </Field>
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
      <Field label={t('answer.subject')} error={faults['subject']}>
        {(ids) => (
          <TextInput
            {...ids}
            value={subject}
            maxLength={150}
            lang={language}
            onChange={(event) => change({ subject: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('answer.text')} hint={hint} error={faults['text']}>
        {(ids) => (
          <TextArea
            {...ids}
            rows={14}
            value={text}
            maxLength={10_000}
            lang={language}
            onChange={(event) => change({ text: event.target.value })}
          />
        )}
      </Field>
      <p role="status" className="text-sm text-muted empty:absolute">
        {gaps.length > 0 && t('answer.gaps', { gaps: gaps.join(', ') })}
      </p>
      <div role="alert" className="empty:absolute">
        {(error ?? (Object.keys(faults).length === 0 ? action.error : undefined)) !== undefined && (
          <Alert tone="error">{error ?? action.error}</Alert>
        )}
      </div>
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
    </form>
  )
}
