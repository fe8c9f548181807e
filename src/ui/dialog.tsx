import { X } from 'lucide-react'
import { type ReactNode, createContext, use, useCallback, useEffect, useId, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'

/** What keeps a dialog from closing over a written text; without one it closes at once. */
export interface DialogGuard {
  holds: (place: HTMLElement) => boolean
  Question: (answers: { onKeep: () => void; onDrop: () => void }) => ReactNode
}
export const DialogGuards = createContext<DialogGuard | undefined>(undefined)

interface DialogProps {
  open: boolean
  /** Called for Escape, the close button and a click on the backdrop. */
  onClose: () => void
  title: string
  closeText: string
  /** `sheet` slides in from the left and needs its own close button. */
  shape?: 'box' | 'sheet'
  children: ReactNode
  actions?: ReactNode
}

const FIELDS = ':is(input, select, textarea):not(:disabled, [type=radio]:not(:checked))'

/** The browser's modal dialog; the first of its fields has the focus. */
export function Dialog(props: DialogProps): ReactNode {
  const { open, onClose, title, closeText, shape = 'box', children, actions } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const guard = use(DialogGuards)
  const [isAsking, setAsking] = useState(false)

  const leave = useCallback((): void => {
    if (dialog.current && guard?.holds(dialog.current)) setAsking(true)
    else onClose()
  }, [onClose, guard])

  // A click on the backdrop targets the dialog element; keyboards have Escape.
  useEffect(() => {
    const element = dialog.current
    const onPress = (event: MouseEvent): void => {
      if (event.target === element) leave()
    }
    element?.addEventListener('click', onPress)
    return () => element?.removeEventListener('click', onPress)
  }, [leave])

  useEffect(() => {
    const element = dialog.current
    if (!element) return undefined
    if (open && !element.open) {
      element.showModal()
      // The browser focuses the close button, which comes first.
      if (shape === 'box') element.querySelector<HTMLElement>(FIELDS)?.focus()
    }
    if (!open && element.open) element.close()
    document.documentElement.classList.toggle('overflow-hidden', open)
    return () => document.documentElement.classList.remove('overflow-hidden')
  }, [open, shape])

  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      onKeyDown={(event) => {
        // A second Escape closes a dialog whatever its cancel event says.
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        leave()
      }}
      onClose={() => {
        if (open) onClose()
      }}
      className={classes(
        'bg-surface p-0 text-ink backdrop:bg-asphalt/60',
        shape === 'box'
          ? 'm-auto w-[min(32rem,calc(100vw-2rem))] rounded-lg'
          : 'm-0 h-dvh max-h-none w-72 max-w-[85vw] animate-sheet-in',
      )}
    >
      <div className={shape === 'box' ? 'grid gap-5 p-6' : 'flex h-full flex-col'}>
        <div className={classes('flex items-center justify-between gap-4', shape === 'sheet' && 'sr-only')}>
          <h2 id={titleId} className="text-title">
            {title}
          </h2>
          {shape === 'box' && (
            <IconButton label={closeText} onClick={leave} className="-mr-2">
              <X aria-hidden="true" className="size-5" />
            </IconButton>
          )}
        </div>
        {isAsking && guard && (
          <guard.Question
            onKeep={() => setAsking(false)}
            onDrop={() => {
              setAsking(false)
              onClose()
            }}
          />
        )}
        {children}
        {actions && <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">{actions}</div>}
      </div>
    </dialog>
  )
}
