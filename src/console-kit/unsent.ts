/**
 * What somebody has written and not sent: long texts in fields that are still on the page. One watch of the document for
 * all forms and dialogs; whatever would close or leave them asks here first.
 */

type TextField = HTMLTextAreaElement | HTMLInputElement

/** What stood in a field before somebody wrote in it. */
const before = new Map<TextField, string>()

/** A subject or a name is typed again soon; a letter is not. */
const LONG = 20

/** What is searched for is no text to keep. */
const isSearch = (field: HTMLInputElement): boolean => field.getAttribute('role') === 'combobox'

const isLongText = (target: EventTarget | null): target is TextField =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && target.type === 'text' && !isSearch(target))

/** Remembers what stands in each text field that somebody begins to write in. @returns ends the watch */
export function watchUnsent(): () => void {
  const note = ({ target }: Event): void => {
    if (isLongText(target) && !before.has(target)) before.set(target, target.value)
  }
  document.addEventListener('beforeinput', note, true)
  return () => document.removeEventListener('beforeinput', note, true)
}

/** Whether something written would be lost. @param place only below it; the whole page when left out */
export function hasUnsent(place: Node = document): boolean {
  for (const [field, text] of before) {
    if (!field.isConnected) before.delete(field)
    else if (place.contains(field) && isWritten(field, text)) return true
  }
  return false
}

function isWritten(field: TextField, text: string): boolean {
  const written = field.value.trim()
  if (written === '' || written === text.trim()) return false
  return field instanceof HTMLTextAreaElement || written.length >= LONG
}

/** After something was sent or stored, what stands in its fields is not lost. */
export function forgetUnsent(): void {
  before.clear()
}
