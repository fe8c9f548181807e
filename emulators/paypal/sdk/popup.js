import { element, ensureStyles } from './dom.js'

/** @typedef {import('./types.d.ts').SdkConfig} SdkConfig */
/** @typedef {import('./types.d.ts').Result} Result */

const closedGraceMs = 400
const pollMs = 250

/**
 * Must be called while the browser still counts the click, or the window is blocked.
 * @param {SdkConfig} config
 * @returns {Window | null}
 */
export function openWindow(config) {
  const width = 480
  const height = 760
  const left = Math.max(0, Math.floor(window.screenX + (window.outerWidth - width) / 2))
  const top = Math.max(0, Math.floor(window.screenY + (window.outerHeight - height) / 2))
  const features = `popup,width=${width},height=${height},left=${left},top=${top}`
  return window.open(`${config.publicUrl}/sdk/opening?locale=${config.language}`, 'paypal_emulator', features)
}

/**
 * @param {SdkConfig} config
 * @param {string} orderID
 * @param {string} fundingSource
 */
function approvalAddress(config, orderID, fundingSource) {
  const query = new URLSearchParams({ token: orderID, fundingSource, locale: config.language })
  const plain = `${config.publicUrl}/checkoutnow?${query}`
  return { plain, popup: `${plain}&flow=popup&origin=${encodeURIComponent(window.location.origin)}` }
}

/**
 * The dialog that covers the page while the window is open. `continueIn` is set when a window could not be
 * opened without a click: its button opens one.
 * @param {SdkConfig} config
 */
function createOverlay(config) {
  ensureStyles(config)
  const { texts } = config
  const title = element('h2', { id: 'ppe-overlay-title' }, [texts.overlayTitle])
  const words = element('p', {}, [texts.overlayText])
  const show = element('button', { type: 'button', class: 'ppe-button ppe-gold' }, [texts.overlayShow])
  const cancel = element('button', { type: 'button', class: 'ppe-button ppe-plain' }, [texts.overlayCancel])
  const dialog = /** @type {HTMLDialogElement} */ (
    element('dialog', { class: 'ppe-overlay', 'aria-labelledby': 'ppe-overlay-title' }, [
      title,
      words,
      show,
      cancel,
    ])
  )
  document.body.append(dialog)
  dialog.showModal()
  return {
    show,
    cancel,
    dialog,
    /** @param {string} heading @param {string} text @param {string} label */
    say(heading, text, label) {
      title.textContent = heading
      words.textContent = text
      show.textContent = label
    },
    remove() {
      dialog.close()
      dialog.remove()
    },
  }
}

/**
 * Takes the buyer through the approval page and resolves with what came of it.
 * @param {SdkConfig} config
 * @param {{ popup: Window | null, fundingSource: string, order: () => Promise<string>, redirects: boolean, signal: AbortSignal }} task
 * @returns {Promise<Result>}
 */
export async function checkout(config, task) {
  let { popup } = task
  const overlay = createOverlay(config)
  /** @type {PromiseWithResolvers<Result>} */
  const result = Promise.withResolvers()
  const ended = new AbortController()
  const options = { signal: ended.signal }
  let orderID = ''

  /** @param {MessageEvent} event */
  const hear = (event) => {
    const { data } = event
    if (event.origin !== config.origin || event.source !== popup) return
    if (data?.source !== 'paypal-emulator' || data.orderID !== orderID) return
    const payerID = typeof data.payerID === 'string' ? data.payerID : null
    result.resolve({ outcome: data.outcome === 'approved' ? 'approved' : 'cancelled', orderID, payerID })
  }
  const cancelled = () => result.resolve({ outcome: 'cancelled', orderID, payerID: null })
  window.addEventListener('message', hear, options)
  overlay.cancel.addEventListener('click', cancelled, options)
  overlay.dialog.addEventListener('cancel', cancelled, options)
  const aborted = () => result.resolve({ outcome: 'aborted', orderID, payerID: null })
  task.signal.addEventListener('abort', aborted, options)
  const poll = window.setInterval(() => {
    if (popup?.closed) window.setTimeout(() => popup?.closed && cancelled(), closedGraceMs)
  }, pollMs)

  const begin = async () => {
    orderID = await task.order()
    if (typeof orderID !== 'string' || orderID === '') throw new Error('Expected an order id to be passed')
    const address = approvalAddress(config, orderID, task.fundingSource)
    if (popup) {
      popup.location.replace(address.popup)
      overlay.show.addEventListener('click', () => popup?.focus(), options)
    } else if (task.redirects) {
      window.location.assign(address.plain)
    } else {
      overlay.say(config.texts.continueTitle, config.texts.continueText, config.texts.continueShow)
      overlay.show.addEventListener(
        'click',
        () => {
          if (popup && !popup.closed) return popup.focus()
          popup = openWindow(config)
          if (!popup) return window.location.assign(address.plain)
          popup.location.replace(address.popup)
          overlay.say(config.texts.overlayTitle, config.texts.overlayText, config.texts.overlayShow)
        },
        options,
      )
    }
  }

  try {
    begin().catch((error) => result.reject(error))
    return await result.promise
  } finally {
    ended.abort()
    window.clearInterval(poll)
    overlay.remove()
    popup?.close()
  }
}
