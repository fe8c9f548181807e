import { AWAKE, TYPED, WAITING } from '#client/early-acts.ts'
import { MODULES_READY } from '#client/page-modules.ts'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'

/** In ms: the sign is shown after this time, so that nothing flashes on a fast line; below the 100 ms that people notice. */
const SIGN_AFTER_MS = 60

/** In ms: a page whose scripts have not come after this time, once somebody has acted, is taken for stuck. */
const STUCK_AFTER_MS = 12_000

/**
 * What a page does before its scripts are there: it keeps what is typed, chosen and pressed, shows that it waits, and
 * does all of it once when the scripts are there. Without them it says so, and keeps what was typed across a reload.
 * It is sent as text, so that it may use nothing from around it.
 */
function actEarly(
  names: { awake: string; ready: string; typed: string; waiting: string },
  times: { signAfterMs: number; stuckAfterMs: number },
  texts: { waiting: string; stuck: string; retry: string },
  classes: { stuck: string; retry: string },
): void {
  type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement
  interface Typed {
    control: Control
    value: string
    checked: boolean
    caret: number | null
  }
  const root = document.documentElement
  const kept = new Map<string, Typed>()
  const pressed: HTMLElement[] = []
  let submitted: { form: HTMLFormElement; by: HTMLElement | null } | undefined
  let isAwake = false
  let isLeaving = false
  let isLoading = false
  let timer = 0
  let stuck = 0

  const isControl = (target: unknown): target is Control =>
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement

  /** The same control, also after the page's scripts have made it anew. */
  const placeOf = (control: Control): string => {
    const all = [...document.querySelectorAll('input,select,textarea')]
    const alike = all.filter((one) => one.id === control.id && (one as Control).name === control.name)
    return JSON.stringify([control.id, control.name, alike.indexOf(control)])
  }
  const atPlace = (place: string): Control | undefined => {
    const [id, name, index] = JSON.parse(place) as [string, string, number]
    return [...document.querySelectorAll<Control>('input,select,textarea')].filter(
      (one) => one.id === id && one.name === name,
    )[index]
  }
  const keep = (control: Control): void => {
    let caret: number | null = null
    try {
      if (!(control instanceof HTMLSelectElement)) caret = control.selectionStart
    } catch {
      // This kind of field has no caret.
    }
    const checked = control instanceof HTMLInputElement && control.checked
    kept.set(placeOf(control), { control, value: control.value, checked, caret })
  }
  /** What the browser has filled in without an event. */
  const keepFilled = (): void => {
    for (const control of document.querySelectorAll<Control>('input,select,textarea')) {
      const isChanged =
        control instanceof HTMLSelectElement
          ? [...control.options].some((option) => option.selected !== option.defaultSelected) &&
            [...control.options].some((option) => option.defaultSelected)
          : control.value !== control.defaultValue ||
            (control instanceof HTMLInputElement && control.checked !== control.defaultChecked)
      if (isChanged) keep(control)
    }
  }

  /** One element beside the page's own, which its scripts leave alone. */
  const say = (text: string, isStuck: boolean): void => {
    let place = document.getElementById('page-status')
    if (!place && text === '') return
    if (!place) {
      place = document.createElement('div')
      place.id = 'page-status'
      place.setAttribute('role', 'status')
      document.body?.append(place)
    }
    place.className = isStuck ? classes.stuck : 'sr-only'
    place.textContent = text
    if (!isStuck) return
    const retry = document.createElement('button')
    retry.type = 'button'
    retry.className = classes.retry
    retry.textContent = texts.retry
    retry.addEventListener('click', (event) => {
      event.stopPropagation()
      // Passwords stay out of the storage.
      const values = [...kept].filter(([, { control }]) => control.type !== 'password')
      try {
        const typed = values.map(([at, { value, checked }]) => [at, value, checked])
        sessionStorage.setItem(names.typed, JSON.stringify({ path: location.pathname, typed }))
      } catch {
        // Without storage the browser itself may fill in the form again.
      }
      location.reload()
    })
    place.append(retry)
  }
  const show = (): void => {
    const isWaiting = isLeaving || isLoading || (!isAwake && (submitted !== undefined || pressed.length > 0))
    if (!isWaiting) {
      clearTimeout(timer)
      timer = 0
      if (root.dataset['waiting'] === undefined) return
      delete root.dataset['waiting']
      return say('', false)
    }
    if (timer === 0)
      timer = setTimeout(() => {
        root.dataset['waiting'] = ''
        say(texts.waiting, false)
      }, times.signAfterMs) as unknown as number
    if (!isAwake && stuck === 0)
      stuck = setTimeout(() => !isAwake && say(texts.stuck, true), times.stuckAfterMs) as unknown as number
  }

  const onTyping = ({ target }: Event): void => {
    if (!isAwake && isControl(target)) keep(target)
  }
  addEventListener('input', onTyping, true)
  addEventListener('change', onTyping, true)
  addEventListener(
    'submit',
    (event) => {
      if (isAwake) return
      event.preventDefault()
      keepFilled()
      submitted = { form: event.target as HTMLFormElement, by: event.submitter }
      show()
    },
    true,
  )
  addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest<HTMLButtonElement>('button') : null
      if (isAwake || !button || button.type === 'submit' || button.closest('#page-status')) return
      pressed.push(button)
      show()
    },
    true,
  )
  // A link to another document, once nothing else has taken the click.
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    if ((link.target && link.target !== '_self') || link.hasAttribute('download')) return
    const { origin, href } = link
    if (origin !== location.origin || href.split('#')[0] === location.href.split('#')[0]) return
    isLeaving = true
    show()
    // A file is no page: it leaves this one where it is.
    setTimeout(() => {
      isLeaving = false
      show()
    }, times.stuckAfterMs)
  })
  addEventListener('pageshow', () => {
    isLeaving = false
    show()
  })
  addEventListener(names.waiting, (event) => {
    const { detail } = event as CustomEvent<boolean | 'document'>
    if (detail === 'document') isLeaving = true
    else isLoading = detail
    show()
  })

  const give = (control: Control, { value, checked, caret }: Omit<Typed, 'control'>): void => {
    if (control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type)) {
      if (control.checked !== checked) control.click()
      return
    }
    const { prototype } = control.constructor as { prototype: object }
    // React compares with what was set last by itself, which is made to differ first.
    control.value = value === '' ? ' ' : ''
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(control, value)
    for (const kind of ['input', 'change']) control.dispatchEvent(new Event(kind, { bubbles: true }))
    if (caret !== null && document.activeElement === control && !(control instanceof HTMLSelectElement))
      try {
        control.setSelectionRange(caret, caret)
      } catch {
        // This kind of field has no caret.
      }
  }
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
  const wake = async (): Promise<void> => {
    if (isAwake) return
    isAwake = true
    clearTimeout(stuck)
    const { activeElement } = document
    for (const [place, typed] of kept) {
      const control = typed.control.isConnected ? typed.control : atPlace(place)
      if (control) give(control, typed)
    }
    if (activeElement instanceof HTMLElement && activeElement.isConnected)
      activeElement.focus({ preventScroll: true })
    const forms = [...document.forms]
    for (const button of pressed) {
      await turn()
      if (button.isConnected) button.click()
    }
    if (submitted) {
      await turn()
      const { form, by } = submitted
      const present = form.isConnected ? form : forms.at(-1)
      if (present) present.requestSubmit(by?.isConnected ? by : null)
    }
    show()
  }
  addEventListener(names.ready, keepFilled)
  addEventListener(names.awake, () => void wake())

  addEventListener('DOMContentLoaded', () => {
    try {
      const found = sessionStorage.getItem(names.typed)
      sessionStorage.removeItem(names.typed)
      const { path, typed } = JSON.parse(found ?? '{}') as {
        path?: string
        typed?: [string, string, boolean][]
      }
      if (path !== location.pathname) return
      for (const [place, value, checked] of typed ?? []) {
        const control = atPlace(place)
        if (!control) continue
        control.value = value
        if (control instanceof HTMLInputElement) control.checked = checked
        keep(control)
      }
    } catch {
      // Nothing was kept.
    }
  })
}

const NAMES = { awake: AWAKE, ready: MODULES_READY, typed: TYPED, waiting: WAITING }
/** Beside the page's own elements, since its scripts have not come; every class is one that the pages use, too. */
const CLASSES = {
  stuck:
    'fixed inset-x-0 bottom-0 z-50 flex flex-wrap items-center justify-center gap-3 border-t border-line bg-surface p-3',
  retry: 'min-h-11 rounded-md border border-line-strong bg-surface px-4 text-sm font-semibold',
}
const TIMES = { signAfterMs: SIGN_AFTER_MS, stuckAfterMs: STUCK_AFTER_MS }

/** Without comments and indentation; no text of the function has two spaces or begins a line with a slash. */
const CODE = actEarly
  .toString()
  .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  .replaceAll(/\s*\n\s*/g, '\n')
  .replaceAll(/ {2,}/g, ' ')

function scriptIn(language: Language): string {
  const texts = {
    waiting: translate(language, 'errors.early.waiting'),
    stuck: translate(language, 'errors.early.stuck'),
    retry: translate(language, 'errors.unreachable.retry'),
  }
  return `(${CODE})(${[NAMES, TIMES, texts, CLASSES].map((one) => JSON.stringify(one)).join()})`
}

/** The inline script of every page, by language. */
export const EARLY_ACTS = Object.fromEntries(
  LANGUAGES.map((language) => [language, scriptIn(language)]),
) as Record<Language, string>
