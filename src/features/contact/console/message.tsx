import { type ReactNode, useState } from 'react'
import { Link, type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { DataTable } from '#console-kit/data-table.tsx'
import { ActionForm, SelectField } from '#console-kit/fields.tsx'
import { Facts, Fault, Screen, Section, Time, useTime } from '#console-kit/parts.tsx'
import { useAction } from '#console-kit/use-action.ts'
import { useFields } from '#console-kit/use-fields.ts'
import type { Message } from '../staff-messages.contract.ts'
import { AnswerForm, type WrittenEmail } from './answer-form.tsx'
import { MessageClock } from './message-clock.tsx'
import { useLanguageName } from '#i18n/use-language-name.ts'

const pathOf = (id: string): string => `/api/staff/messages/${encodeURIComponent(id)}/`

export const loader = ({ params }: LoaderFunctionArgs): Promise<Message> =>
  consoleCall('GET', pathOf(params['id'] ?? ''))

/** One message with its answers, and the form that answers it. */
export function Component(): ReactNode {
  const t = useTranslations('consoleMessages')
  const languageOf = useLanguageName()
  const message = useLoaderData<Message>()
  const may = useMay()
  const time = useTime()
  const { id, name, email, language, customer_id: customer } = message
  return (
    <Screen title={t('message.title', { name })} actions={<MessageClock message={message} />}>
      <div className="grid grid-cols-1 gap-6 xl:grid-cols-2">
        <div className="grid grid-cols-1 content-start gap-6">
          <Section title={t('message.text')}>
            <Facts
              facts={[
                [t('message.from'), name],
                [t('message.email'), email],
                [
                  t('message.customer'),
                  customer === null ? (
                    t('message.stranger')
                  ) : (
                    <Link key="customer" to={`/customers/${customer}`} className="prose-link">
                      {t('message.open')}
                    </Link>
                  ),
                ],
                [t('message.language'), languageOf(language)],
                [t('message.received'), <Time key="received" at={message.received_at} />],
                message.state === 'open' && [t('message.due'), <Time key="due" at={message.due_at} />],
              ]}
            />
            <blockquote
              lang={language}
              className="border-l-4 border-line pl-4 whitespace-pre-wrap wrap-anywhere"
            >
              {message.message}
            </blockquote>
            {message.handled_at !== null && (
              <p className="text-sm text-muted">
                {message.closed_as !== null && <Badge>{t(`closedAs.${message.closed_as}`)}</Badge>}{' '}
                {t('message.handled', { name: message.handled_by ?? '', when: time(message.handled_at) })}
              </p>
            )}
          </Section>
          {message.answers.length > 0 && (
            <Section title={t('message.answers')}>
              <ol className="grid gap-5">
                {message.answers.map((answer) => (
                  <li key={answer.id} className="grid gap-2">
                    <p className="flex flex-wrap items-center gap-3">
                      <span className="font-semibold">
                        {t('message.answered', { name: answer.by, when: time(answer.at) })}
                      </span>
                      {answer.state !== null && (
                        <Badge tone={answer.state === 'failed' ? 'error' : 'neutral'}>
                          {t(`emailStates.${answer.state}`)}
                        </Badge>
                      )}
                    </p>
                    <p lang={answer.language}>{answer.subject}</p>
                    <blockquote
                      lang={answer.language}
                      className="border-l-4 border-line pl-4 text-sm whitespace-pre-wrap wrap-anywhere"
                    >
                      {answer.text}
                    </blockquote>
                  </li>
                ))}
              </ol>
            </Section>
          )}
        </div>
        {may('messages.answer') && (
          <div className="grid grid-cols-1 content-start gap-6" key={id}>
            <AnswerSection message={message} />
            <CloseSection message={message} />
          </div>
        )}
      </div>
      {message.others.length > 0 && (
        <Section title={t('message.others')}>
          <DataTable
            caption={t('message.others')}
            rows={message.others}
            idOf={(row) => row.id}
            linkOf={(row) => `/messages/${row.id}`}
            empty={t('empty')}
            columns={[
              { id: 'received', title: t('columns.received'), cell: (row) => <Time at={row.received_at} /> },
              {
                id: 'beginning',
                title: t('columns.beginning'),
                cell: (row) => <span lang={row.language}>{row.beginning}</span>,
              },
              { id: 'clock', title: t('columns.clock'), cell: (row) => <MessageClock message={row} /> },
            ]}
          />
        </Section>
      )}
    </Screen>
  )
}

/** Calls that change a message. When somebody else was faster, the screen shows what they did and keeps what was typed. */
function useChange({ id, version }: Message) {
  const { revalidate } = useRevalidator()
  return async (what: 'answer' | 'close' | 'reopen', body: object): Promise<void> => {
    try {
      await consoleCall('POST', `${pathOf(id)}${what}/`, { body: { version, ...body } })
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) void revalidate()
      throw error
    }
  }
}

function AnswerSection({ message }: { message: Message }): ReactNode {
  const t = useTranslations('consoleMessages')
  const action = useAction()
  const change = useChange(message)
  // A new form after each answer.
  const [sent, setSent] = useState(0)
  const send = async (written: WrittenEmail): Promise<void> => {
    if (!(await action.run(() => change('answer', written), t('answer.sent')))) return
    focusHeading()
    setSent(sent + 1)
  }
  return (
    <Section title={message.answers.length > 0 ? t('answer.again') : t('answer.title')}>
      <AnswerForm
        key={sent}
        templatesAt={`${pathOf(message.id)}templates/`}
        language={message.language}
        hint={t('answer.textHint')}
        action={action}
        onSend={(written) => void send(written)}
      />
    </Section>
  )
}

/** The control that was used is gone. */
const focusHeading = (): void => document.querySelector<HTMLElement>('main h1')?.focus()

const CLOSINGS = ['answered_elsewhere', 'no_answer_needed', 'spam'] as const

function CloseSection({ message }: { message: Message }): ReactNode {
  const t = useTranslations('consoleMessages')
  const form = useFields<{ as: (typeof CLOSINGS)[number] }>({ as: 'answered_elsewhere' })
  const change = useChange(message)
  const run = async (what: 'close' | 'reopen', body: object, done: string): Promise<void> => {
    if (await form.run(() => change(what, body), done)) focusHeading()
  }
  const fault = <Fault error={form.error} />
  if (message.state !== 'open')
    return (
      <div className="grid justify-items-start gap-3">
        {fault}
        <Button
          variant="secondary"
          size="small"
          busy={form.isBusy}
          onClick={() => void run('reopen', {}, t('close.reopened'))}
        >
          {t('close.reopen')}
        </Button>
      </div>
    )
  return (
    <Section title={t('close.title')}>
      <ActionForm
        action={form}
        className="grid gap-4"
        onSend={() => run('close', form.values, t('close.done'))}
      >
        <SelectField
          label={t('close.as')}
          choices={CLOSINGS.map((one) => [one, t(`closedAs.${one}`)])}
          {...form.field('as')}
        />
        {fault}
        <button
          type="submit"
          disabled={form.isBusy}
          className={buttonClasses('secondary', 'small', { className: 'justify-self-start' })}
        >
          {t('close.do')}
        </button>
      </ActionForm>
    </Section>
  )
}
