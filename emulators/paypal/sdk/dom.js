/** @typedef {import('./types.d.ts').SdkConfig} SdkConfig */

/**
 * Builds an element from properties and children, without any HTML text.
 * @param {string} tag
 * @param {Record<string, string | undefined>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) made.setAttribute(name, value)
  made.append(...children)
  return made
}

const css = `
.ppe { display: grid; gap: 10px; width: 100%; font: 600 16px/1.2 system-ui, 'Segoe UI', Roboto, sans-serif }
.ppe * { box-sizing: border-box }
.ppe-button { position: relative; display: flex; align-items: center; justify-content: center; gap: .45em;
  width: 100%; min-height: 44px; margin: 0; padding: 6px 16px; border: 1px solid transparent; border-radius: 4px;
  font: inherit; cursor: pointer; -webkit-tap-highlight-color: transparent; transition: filter .12s }
.ppe-button:hover:not(:disabled) { filter: brightness(.95) }
.ppe-button:active:not(:disabled) { filter: brightness(.9) }
.ppe-button:focus-visible { outline: 3px solid #0b5fff; outline-offset: 2px; box-shadow: 0 0 0 2px #fff }
.ppe-button:disabled { cursor: not-allowed; filter: grayscale(.4); opacity: .55 }
.ppe-button[aria-busy=true] { cursor: progress }
.ppe-button[aria-busy=true] .ppe-face { visibility: hidden }
.ppe-button[aria-busy=true]::after { content: ''; position: absolute; width: 22px; height: 22px; border-radius: 50%;
  border: 3px solid currentColor; border-right-color: transparent; animation: ppe-turn .8s linear infinite }
@keyframes ppe-turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { .ppe-button[aria-busy=true]::after { animation-duration: 4s } }
.ppe-face { display: inline-flex; align-items: baseline; gap: .4em; white-space: nowrap }
.ppe-pill { border-radius: 999px } .ppe-sharp { border-radius: 0 }
.ppe-gold { background: #ffc439; color: #10264d } .ppe-blue { background: #0b57c2; color: #fff }
.ppe-silver { background: #e6e7e9; color: #10264d } .ppe-black { background: #1d2126; color: #fff }
.ppe-white { background: #fff; color: #10264d; border-color: #4d5866 }
.ppe-mark { font-weight: 800; font-size: 1.18em; letter-spacing: -.02em }
.ppe-mark-paypal { font-style: italic } .ppe-mark-venmo { letter-spacing: -.03em }
.ppe-stripes { align-self: center; width: 26px; height: 16px; border-radius: 3px; border: 1px solid #4d5866;
  background: linear-gradient(100deg, #12509b 48%, #ffd800 48%) }
.ppe-note { margin: 0; text-align: center; font-weight: 400; font-size: 12.5px; line-height: 1.35; opacity: .8 }
.ppe-overlay { margin: auto; border: 0; padding: 28px 24px; width: min(92vw, 400px); border-radius: 14px; text-align: center;
  background: #fff; color: #15191f; font: 400 16px/1.45 system-ui, 'Segoe UI', Roboto, sans-serif;
  box-shadow: 0 24px 64px rgb(0 0 0 / .35) }
.ppe-overlay::backdrop { background: rgb(13 17 23 / .72) }
.ppe-overlay h2 { margin: 0 0 8px; font-size: 20px; line-height: 1.25 } .ppe-overlay p { margin: 0 0 20px }
.ppe-overlay .ppe-button + .ppe-button { margin-top: 10px }
.ppe-plain { background: transparent; color: inherit; text-decoration: underline; text-underline-offset: 3px; font-weight: 500 }
`

/**
 * Puts the style sheet into the page once, under the page's own nonce.
 * @param {SdkConfig} config
 */
export function ensureStyles(config) {
  if (document.getElementById('ppe-styles')) return
  const style = document.createElement('style')
  style.id = 'ppe-styles'
  if (config.nonce) style.setAttribute('nonce', config.nonce)
  style.textContent = css
  document.head.append(style)
}
