import { createButtons } from './buttons.js'

/** @typedef {import('./types.d.ts').SdkConfig} SdkConfig */

const fundingNames = Object.fromEntries(
  'paypal venmo applepay itau credit paylater card ideal sepa bancontact giropay sofort eps mybank p24 blik trustly multibanco satispay'
    .split(' ')
    .map((name) => [name.toUpperCase(), name]),
)

/**
 * Defines `window.paypal`, or the namespace the script tag names.
 * @param {Omit<SdkConfig, 'nonce' | 'origin'> & { buttons: boolean, debug: boolean }} served
 */
export function start(served) {
  const script = document.currentScript
  const nonce = script?.dataset.cspNonce || script?.nonce || ''
  /** @type {SdkConfig} */
  const config = { ...served, nonce, origin: new URL(served.publicUrl).origin }
  const paypal = {
    version: '5.0.0-volant-emulator',
    FUNDING: fundingNames,
    getFundingSources: () => [...config.funding],
    isFundingEligible: (/** @type {string} */ source) => config.funding.includes(source),
    rememberFunding() {},
    ...(served.buttons
      ? {
          Buttons: (/** @type {import('./types.d.ts').ButtonOptions} */ options) =>
            createButtons(config, options),
        }
      : {}),
  }
  Object.assign(window, { [script?.dataset.namespace || 'paypal']: paypal })
  if (served.debug) console.info('PayPal emulator script', { ...config, nonce: nonce ? 'set' : 'none' })
}
