/** How long a message stays at least; hovering or focusing it pauses the time. */
export const TOAST_MS = 6000

export type ToastKind = 'success' | 'error' | 'warning' | 'info'

interface ToastMessage {
  kind: ToastKind
  text: string
  description?: string
}

type Sink = (message: ToastMessage) => void

const waiting: ToastMessage[] = []
let sink: Sink | undefined
let wake: (() => void) | undefined

const show =
  (kind: ToastKind) =>
  (text: string, options: { description?: string } = {}) => {
    const message = { kind, text, ...options }
    if (sink) return sink(message)
    waiting.push(message)
    wake?.()
  }

/** Short messages over the page. The code that draws them is loaded with the first one. */
export const toast = {
  success: show('success'),
  error: show('error'),
  warning: show('warning'),
  info: show('info'),
} as const

/** Called by the host of toasts: runs `load` when the first message is waiting. */
export function onFirstToast(load: () => void): () => void {
  wake = load
  if (waiting.length > 0) load()
  return () => {
    wake = undefined
  }
}

/** Called once the drawing code is there: hands over what waited and everything after. */
export function drawToasts(draw: Sink): () => void {
  sink = draw
  for (const message of waiting.splice(0)) draw(message)
  return () => {
    sink = undefined
  }
}

const NOTICE = 'volant-notice'

/** The notice that the session ended under the page before. */
export const SESSION_EXPIRED = 'session-expired'

/** Keeps a notice for the page that is about to be loaded instead of this one. */
export function leaveNotice(notice: string): void {
  try {
    window.sessionStorage.setItem(NOTICE, notice)
  } catch {
    // Storage is forbidden here: the notice is a comfort, the redirect says enough.
  }
}

/** Takes the notice that the page before has left. */
export function takeNotice(): string | null {
  try {
    const notice = window.sessionStorage.getItem(NOTICE)
    if (notice !== null) window.sessionStorage.removeItem(NOTICE)
    return notice
  } catch {
    return null
  }
}
