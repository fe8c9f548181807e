import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useRouteError } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { formatDateTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { useSettings } from './console-context.tsx'
import { useAction } from './use-action.ts'

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

/** Names and values. */
export const Facts = ({
  facts,
}: {
  facts: readonly (readonly [name: string, value: ReactNode])[]
}): ReactNode => (
  <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[minmax(8rem,auto)_1fr]">
    {facts.map(([name, value]) => (
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

interface ConfirmDialogProps {
  open?: boolean
  title: string
  confirm: string
  isDanger?: boolean
  isDisabled?: boolean
  action: ReturnType<typeof useAction>
  /** Beside the faults of the action. */
  error?: string | undefined
  onClose: () => void
  /** @returns whether it was done; the dialog then closes */
  onConfirm: () => Promise<boolean>
  children: ReactNode
}

/** A dialog with one action; it closes once that is done. Its fields show the faults of their own, the first has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { open = true, title, confirm, action, error, onClose, onConfirm, children } = props
  const { isDanger = false, isDisabled = false } = props
  const t = useTranslations('console.common')
  const form = useRef<HTMLFormElement>(null)
  const [failures, setFailures] = useState(0)
  const hasFieldFaults = Object.keys(action.fields).length > 0
  const fault = error ?? (hasFieldFaults ? t('checkFields') : action.error)
  const submit = async (): Promise<void> => {
    if (await onConfirm()) onClose()
    else setFailures((count) => count + 1)
  }
  useEffect(() => {
    if (failures > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [failures])
  return (
    <Dialog open={open} onClose={onClose} title={title} closeText={t('close')}>
      <form
        ref={form}
        noValidate
        className="grid grid-cols-1 gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {children}
        <div role="alert" className="empty:absolute">
          {fault !== undefined && <Alert tone="error">{fault}</Alert>}
        </div>
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
      </form>
    </Dialog>
  )
}

interface ReasonDialogProps {
  open: boolean
  onClose: () => void
  title: string
  text: ReactNode
  confirm: string
  danger?: boolean
  /** What is done with the reason; a failure is shown in the dialog. */
  act: (reason: string) => Promise<unknown>
  done?: string
}

interface ReasonFieldProps {
  value: string
  onChange: (value: string) => void
  error: string | undefined
  /** Else "Reason". */
  label?: string
  hint?: string
  required?: boolean
}

/** A reason or a note of at most 200 characters. */
export function ReasonField({
  value,
  onChange,
  error,
  label,
  hint,
  required = true,
}: ReasonFieldProps): ReactNode {
  const t = useTranslations('console.common')
  return (
    <Field label={label ?? t('reason')} error={error} {...(hint !== undefined && { hint })}>
      {(ids) => (
        <TextInput
          {...ids}
          value={value}
          maxLength={200}
          required={required}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

/** Asks for the reason of an action, which the audit log keeps, and carries it out. */
export function ReasonDialog(props: ReasonDialogProps): ReactNode {
  const { open, onClose, title, text, confirm, danger = false, act, done } = props
  const t = useTranslations('console.common')
  const [reason, setReason] = useState('')
  const action = useAction()
  const close = (): void => {
    action.reset()
    setReason('')
    onClose()
  }
  return (
    <ConfirmDialog
      open={open}
      title={title}
      confirm={confirm}
      isDanger={danger}
      isDisabled={reason.trim() === ''}
      action={action}
      onClose={close}
      onConfirm={() => action.run(() => act(reason), done ?? t('done'))}
    >
      <div>{text}</div>
      <ReasonField
        hint={t('reasonHint')}
        error={action.fields['reason']}
        value={reason}
        onChange={setReason}
      />
    </ConfirmDialog>
  )
}
