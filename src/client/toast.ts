import { tabStore } from './browser-parts.ts'

/** In ms; hovering or focusing a toast pauses the time. */
export const TOAST_MS = 6000

export type ToastKind = 'success' | 'error' | 'warning' | 'info'

interface ToastMessage {
  kind: ToastKind
  text: string
  description?: string
  /** For `clearToasts`. */
  id?: string
}

interface Sink {
  draw: (message: ToastMessage) => void
  clear: (id?: string) => void
}

const waiting: ToastMessage[] = []
let sink: Sink | undefined
let wake: (() => void) | undefined

const show =
  (kind: ToastKind) =>
  (text: string, options: Omit<ToastMessage, 'kind' | 'text'> = {}) => {
    const message = { kind, text, ...options }
    if (sink) return sink.draw(message)
    waiting.push(message)
    wake?.()
  }

/** Short messages; the toaster is loaded with the first one. */
export const toast = {
  success: show('success'),
  error: show('error'),
  warning: show('warning'),
  info: show('info'),
} as const

/** Removes one toast that is drawn, or all. */
export function clearToasts(id?: string): void {
  if (id === undefined) waiting.length = 0
  sink?.clear(id)
}

export function onFirstToast(load: () => void): () => void {
  wake = load
  if (waiting.length > 0) load()
  return () => {
    wake = undefined
  }
}

/** Draws the waiting toasts and all later ones. */
export function drawToasts(drawing: Sink): () => void {
  sink = drawing
  for (const message of waiting.splice(0)) drawing.draw(message)
  return () => {
    sink = undefined
  }
}

const NOTICE = 'volant-notice'

export const SESSION_EXPIRED = 'session-expired'
export const ENDED_ELSEWHERE = 'ended-elsewhere'

/** Stores a notice for the next document. */
export function leaveNotice(notice: string): void {
  tabStore.setItem(NOTICE, notice)
}

export function takeNotice(): string | null {
  const notice = tabStore.getItem(NOTICE)
  tabStore.removeItem(NOTICE)
  return notice
}
