import { type ReactNode, useEffect, useState } from 'react'
import { Link, useRouteError } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { formatDateTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import { useSettings } from './console-context.tsx'
import { ActionForm, ReasonField } from './fields.tsx'
import { type Action, useAction } from './use-action.ts'
import { useRead } from './use-read.ts'

/** Title of a screen, for the heading and the window. */
export function Screen({
  title,
  lead,
  actions,
  children,
}: {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}): ReactNode {
  const { brand } = useSettings()
  useEffect(() => {
    document.title = `${title} | ${brand}`
  }, [title, brand])
  return (
    <div className="grid grid-cols-1 content-start gap-6">
      <header className="flex flex-wrap items-start justify-between gap-4">
        <div className="grid min-w-0 max-w-3xl gap-1">
          <h1 tabIndex={-1} className="text-headline">
            {title}
          </h1>
          {lead && <div className="text-muted">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-3">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A part of a screen with its own heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}): ReactNode {
  return (
    <section className="grid grid-cols-1 content-start gap-4 rounded-lg border border-line bg-surface p-4 sm:p-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-title">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** A time in the shop's zone. */
export function Time({ at }: { at: string }): ReactNode {
  const { timeZone } = useSettings()
  return (
    <time dateTime={at} className="whitespace-nowrap">
      {formatDateTime(at, timeZone)}
    </time>
  )
}

/** For texts with a time in them. */
export function useTime(): (at: string) => string {
  const { timeZone } = useSettings()
  return (at) => formatDateTime(at, timeZone)
}

/** What went wrong, read out when it appears. */
export const Fault = ({ error }: { error: string | undefined }): ReactNode => (
  <div role="alert" className="empty:absolute">
    {error !== undefined && <Alert tone="error">{error}</Alert>}
  </div>
)

/** Stands where something is being read. */
export function Loading({ className }: { className: string }): ReactNode {
  const t = useTranslations('console.common')
  return (
    <LoadingRegion text={t('loading')}>
      <Skeleton className={className} />
    </LoadingRegion>
  )
}

/** A hash or a key, which no line holds. */
export const Hash = ({ text }: { text: string }): ReactNode => (
  <code className="text-xs wrap-anywhere">{text}</code>
)

/** A name with its value, or nothing to show. */
export type Fact = readonly [name: string, value: ReactNode] | false | null | undefined

/** Names and values; what is false is left out. */
export const Facts = ({ facts }: { facts: readonly Fact[] }): ReactNode => (
  <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[minmax(8rem,auto)_1fr]">
    {facts
      .filter((fact) => !!fact)
      .map(([name, value]) => (
        <div key={name} className="grid gap-x-6 sm:col-span-2 sm:grid-cols-subgrid">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
  </dl>
)

/** Shown in place of a screen that could not be loaded. */
export function ScreenError(): ReactNode {
  const t = useTranslations('console.common')
  const error = useRouteError()
  const failure = error instanceof ApiError ? error : undefined
  const isMissing = failure?.status === 404 || (error as { status?: number } | null)?.status === 404
  if (isMissing)
    return (
      <Screen title={t('notFound')} lead={t('notFoundText')}>
        <Link to="/" className={buttonClasses('secondary', 'medium', { className: 'justify-self-start' })}>
          {t('toStart')}
        </Link>
      </Screen>
    )
  return (
    <Screen title={t('failed')}>
      <div role="alert">
        <Alert
          tone="error"
          actions={
            <Button size="small" variant="secondary" onClick={() => window.location.reload()}>
              {t('retry')}
            </Button>
          }
        >
          {failure?.message ?? t('unexpected')}
        </Alert>
      </div>
    </Screen>
  )
}

interface DialogProps {
  open?: boolean
  title: string
  /** The words of its button; else its title. */
  confirm?: string
  isDanger?: boolean
  isDisabled?: boolean
  /** Of its fields, which show what is wrong with each. */
  action?: Action
  /** A short message once it is done. */
  done?: string | undefined
  onClose: () => void
}

interface ConfirmDialogProps extends DialogProps {
  act: () => Promise<unknown>
  /** Beside the faults of the action. */
  error?: string | undefined
  /** Whether browsers check its fields themselves. */
  isChecked?: boolean
  /** What was done is to be read, or leads on. */
  staysOpen?: boolean
  onRefused?: (() => void) | undefined
  children: ReactNode
}

/** A dialog with one action; it closes once that is done. After a refusal the first field that is wrong has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { open = true, title, confirm = title, act, done, error, onClose, onRefused, children } = props
  const { isDanger = false, isDisabled = false, isChecked = false, staysOpen = false } = props
  const t = useTranslations('console.common')
  const own = useAction()
  const action = props.action ?? own
  const submit = async (): Promise<void> => {
    if (!(await action.run(act, done))) onRefused?.()
    else if (!staysOpen) onClose()
  }
  return (
    <Dialog open={open} onClose={onClose} title={title} closeText={t('close')}>
      <ActionForm action={action} isChecked={isChecked} className="grid grid-cols-1 gap-5" onSend={submit}>
        {children}
        <Fault error={action.fault ?? (action.error === undefined ? error : t('checkFields'))} />
        <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
          <Button variant="ghost" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button
            type="submit"
            variant={isDanger ? 'danger' : 'primary'}
            busy={action.isBusy}
            disabled={isDisabled}
          >
            {confirm}
          </Button>
        </div>
      </ActionForm>
    </Dialog>
  )
}

interface ReasonDialogProps extends DialogProps {
  text: ReactNode
  act: (reason: string) => Promise<unknown>
}

/** Asks for the reason of an action, which the audit log keeps, and carries it out. */
export function ReasonDialog({ text, act, onClose, ...dialog }: ReasonDialogProps): ReactNode {
  const t = useTranslations('console.common')
  const action = useAction()
  const [reason, setReason] = useState('')
  const close = (): void => {
    action.reset()
    setReason('')
    onClose()
  }
  return (
    <ConfirmDialog
      done={t('done')}
      {...dialog}
      isDisabled={reason.trim() === ''}
      action={action}
      act={() => act(reason)}
      onClose={close}
    >
      <div>{text}</div>
      <ReasonField
        hint={t('reasonHint')}
        error={action.fields['reason']}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </ConfirmDialog>
  )
}

/**
 * What an action would do, by what the server would do now.
 * @param asked the address that says it at once, or the call that says it once a first step got a response
 */
export function usePreview<Preview>(asked: string | (() => Promise<Preview>)) {
  const [tries, setTries] = useState(0)
  const [given, setGiven] = useState<Preview>()
  const read = useRead<Preview>(typeof asked === 'string' ? asked : undefined, tries)
  return {
    response: read.response ?? given,
    error: read.error,
    ask: async () => typeof asked === 'function' && setGiven(await asked()),
    again: () => setTries(tries + 1),
    back: () => setGiven(undefined),
  }
}

interface PreviewThenAskProps<Preview> extends DialogProps {
  preview: ReturnType<typeof usePreview<Preview>>
  /** What is asked before there is a preview, and the words of the way back to it. */
  first?: { title: string; confirm: string; back: string; fields: ReactNode; isChecked?: boolean }
  /** Whether it is read again after a refusal, because what it is about may have changed. */
  isReadAgain?: boolean
  text?: ReactNode
  shows: (preview: Preview) => ReactNode
  act: (preview: Preview) => Promise<unknown>
  /** What is asked beside the preview. */
  children?: ReactNode
}

/** After a first step its button is the one that acts: a key that is pressed twice must not. */
const focusIt = (element: HTMLElement | null): void => element?.focus()

/** An action that shows what it would do before it is done, or before a second person is asked for it. */
export function PreviewThenAsk<Preview>(props: PreviewThenAskProps<Preview>): ReactNode {
  const { preview, first, isReadAgain = false, text, shows, act, children, ...dialog } = props
  const { response, error, ask, again, back } = preview
  if (first && response === undefined) {
    const { fields, title, confirm, isChecked } = first
    const step = { title, confirm, isChecked, isDanger: false, done: undefined }
    return (
      <ConfirmDialog {...dialog} {...step} act={ask} staysOpen>
        {fields}
      </ConfirmDialog>
    )
  }
  return (
    <ConfirmDialog
      {...dialog}
      isDisabled={response === undefined || dialog.isDisabled}
      error={error}
      act={async () => response !== undefined && (await act(response))}
      onRefused={isReadAgain ? again : undefined}
    >
      {text}
      <div
        ref={first && focusIt}
        tabIndex={-1}
        aria-live="polite"
        className="grid grid-cols-1 gap-5 empty:absolute"
      >
        {response !== undefined && shows(response)}
      </div>
      {response === undefined && error === undefined && <Loading className="h-20" />}
      {children}
      {first && (
        <Button size="small" variant="ghost" className="justify-self-start" onClick={back}>
          {first.back}
        </Button>
      )}
    </ConfirmDialog>
  )
}
