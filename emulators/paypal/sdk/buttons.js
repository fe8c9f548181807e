import { element, ensureStyles } from './dom.js'
import { checkout, openWindow } from './popup.js'

/** @typedef {import('./types.d.ts').SdkConfig} SdkConfig */
/** @typedef {import('./types.d.ts').ButtonOptions} ButtonOptions */

/** @type {Record<string, { mark: string, color: string }>} */
const brands = {
  paypal: { mark: 'PayPal', color: 'gold' },
  venmo: { mark: 'Venmo', color: 'blue' },
  bancontact: { mark: 'Bancontact', color: 'white' },
  ideal: { mark: 'iDEAL', color: 'white' },
  eps: { mark: 'eps', color: 'white' },
  mybank: { mark: 'MyBank', color: 'white' },
  p24: { mark: 'Przelewy24', color: 'white' },
}
const colors = ['gold', 'blue', 'silver', 'white', 'black']
const smallest = 44
const largest = 55

/** @param {string} what */
const refuse = (what) => () =>
  Promise.reject(new Error(`${what} in the browser is not imitated: do it on the server`))

/** @param {unknown} error */
const asError = (error) => (error instanceof Error ? error : new Error(String(error)))

/**
 * One `paypal.Buttons(options)` component: a button for each way to pay, or the one of `fundingSource`.
 * @param {SdkConfig} config
 * @param {ButtonOptions} given
 */
export function createButtons(config, given = {}) {
  const options = { ...given }
  const life = new AbortController()
  /** @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map()
  /** @type {HTMLElement | undefined} */
  let root
  let enabled = true
  let busy = ''

  const sources = options.fundingSource ? [options.fundingSource] : config.funding
  const isEligible = () => sources.every((source) => config.funding.includes(source) && source in brands)

  const paint = () => {
    for (const [source, button] of buttons) {
      button.disabled = !enabled
      if (busy === source) button.setAttribute('aria-busy', 'true')
      else button.removeAttribute('aria-busy')
    }
  }
  /** @param {unknown} error */
  const fail = (error) => {
    if (life.signal.aborted) return
    if (options.onError) options.onError(asError(error))
    else console.error(asError(error))
  }

  /** @param {string} source @param {string} orderID @param {string | null} payerID */
  const approve = async (source, orderID, payerID) => {
    const data = {
      orderID,
      payerID,
      paymentID: orderID,
      paymentSource: source,
      billingToken: null,
      facilitatorAccessToken: '',
    }
    const actions = {
      order: {
        get: () => readOrder(config, orderID),
        capture: refuse('order.capture'),
        authorize: refuse('order.authorize'),
        patch: refuse('order.patch'),
      },
      redirect: (/** @type {string} */ address) => window.location.assign(address),
      restart: () => run(source, openWindow(config), () => Promise.resolve(orderID), false),
    }
    await options.onApprove?.(data, actions)
  }

  /** @param {string} source @param {Window | null} popup @param {() => Promise<string>} order @param {boolean} redirects */
  const run = async (source, popup, order, redirects) => {
    const result = await checkout(config, {
      popup,
      order,
      redirects,
      fundingSource: source,
      signal: life.signal,
    })
    if (result.outcome === 'approved') await approve(source, result.orderID, result.payerID)
    else if (result.outcome === 'cancelled') {
      await options.onCancel?.(
        { orderID: result.orderID },
        { redirect: (address) => window.location.assign(address) },
      )
    }
  }

  const createOrder = async (/** @type {string} */ source) => {
    if (!options.createOrder) throw new Error('createOrder is missing')
    return options.createOrder({ paymentSource: source }, { order: { create: refuse('order.create') } })
  }

  /** @param {string} source */
  const press = async (source) => {
    if (busy || !enabled) return
    let refused = false
    const verdict = {
      resolve: () => Promise.resolve(),
      reject: () => {
        refused = true
        return Promise.resolve()
      },
    }
    busy = source
    paint()
    /** @type {Window | null} */
    let popup = null
    try {
      const asked = options.onClick?.({ fundingSource: source }, verdict)
      if (!refused) popup = openWindow(config)
      await asked
      if (refused) popup?.close()
      else await run(source, popup, () => createOrder(source), true)
    } catch (error) {
      popup?.close()
      fail(error)
    } finally {
      busy = ''
      paint()
    }
  }

  /** @param {string} source */
  const drawButton = (source) => {
    const style = options.style ?? {}
    const brand = brands[source] ?? { mark: source, color: 'white' }
    const wanted = source === 'paypal' || options.fundingSource ? style.color : undefined
    const color = wanted && colors.includes(wanted) ? wanted : brand.color
    const shape = style.shape === 'pill' || style.shape === 'sharp' ? ` ppe-${style.shape}` : ''
    const mark = element('span', { class: `ppe-mark ppe-mark-${source}` }, [brand.mark])
    const [before = '', after = ''] = labelAround(config, source === 'paypal' ? style.label : undefined)
    const stripes =
      source === 'bancontact' ? [element('span', { class: 'ppe-stripes', 'aria-hidden': 'true' })] : []
    const face = element(
      'span',
      { class: 'ppe-face' },
      [before && `${before} `, mark, after && ` ${after}`, ...stripes].filter((part) => part !== ''),
    )
    const button = /** @type {HTMLButtonElement} */ (
      element(
        'button',
        {
          type: 'button',
          class: `ppe-button ppe-${color}${shape}`,
          'data-funding-source': source,
          // What is heard contains what is read, in its order (WCAG 2.5.3).
          'aria-label':
            before || after
              ? [before, brand.mark, after].filter(Boolean).join(' ')
              : config.texts.payWith.replace('{brand}', brand.mark),
        },
        [face],
      )
    )
    button.style.height = `${Math.min(largest, Math.max(smallest, Number(style.height) || 48))}px`
    if (typeof style.borderRadius === 'number') button.style.borderRadius = `${style.borderRadius}px`
    button.addEventListener('click', () => void press(source))
    return button
  }

  return {
    isEligible,
    /** @param {HTMLElement | string} target */
    async render(target) {
      const container = typeof target === 'string' ? document.querySelector(target) : target
      if (!container)
        throw new Error(
          `Document is ready and element ${typeof target === 'string' ? target : 'given'} does not exist`,
        )
      if (life.signal.aborted) throw new Error('The buttons were closed before they were rendered')
      if (!isEligible()) throw new Error(`${options.fundingSource} is not eligible`)
      ensureStyles(config)
      for (const source of sources) buttons.set(source, drawButton(source))
      const note = element('p', { class: 'ppe-note' }, [config.texts.note])
      root = element('div', { class: 'ppe', role: 'group', 'aria-label': config.texts.group }, [
        ...buttons.values(),
        note,
      ])
      container.append(root)
      const set = (/** @type {boolean} */ value) => async () => {
        enabled = value
        paint()
      }
      options.onInit?.({}, { enable: set(true), disable: set(false) })
    },
    async close() {
      life.abort()
      root?.remove()
      buttons.clear()
    },
    /** @param {Partial<ButtonOptions>} props */
    async updateProps(props) {
      Object.assign(options, props)
    },
    resume() {},
    hasReturned: () => false,
  }
}

/**
 * Words before and after the brand, by `style.label`.
 * @param {SdkConfig} config
 * @param {string | undefined} label
 */
function labelAround(config, label) {
  const { pay, checkout: checkOut, buyNow } = config.texts
  const text =
    new Map([
      ['pay', pay],
      ['checkout', checkOut],
      ['buynow', buyNow],
    ]).get(label ?? '') ?? '{brand}'
  return text.split('{brand}').map((part) => part.trim())
}

/** @param {SdkConfig} config @param {string} id */
async function readOrder(config, id) {
  const reply = await fetch(`${config.publicUrl}/sdk/orders/${encodeURIComponent(id)}`)
  if (!reply.ok) throw new Error(`The order could not be read (${reply.status})`)
  return reply.json()
}
