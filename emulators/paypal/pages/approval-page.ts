import { accountCountries, isSentinel, sentinelBuyers } from '../buyers.ts'
import { FUNDING, fundingOf } from '../funding.ts'
import type { Item, Language, Order } from '../model.ts'
import { centsOf, formatAmount, parseAmount } from '../money.ts'
import { html, type Html, page } from './html.ts'
import { type ApprovalTexts, approvalTexts, fill } from './texts.ts'

export type ApprovalView = {
  order: Order
  merchant: string
  language: Language
  /** `popup` makes the answer a message to the shop's page instead of a redirect. */
  flow: string
  origin: string
  fundingSource: string
  /** What the buyer had chosen when the form came back with a fault. */
  chosen?: { buyer: string; fault?: string }
}

const zones: Record<Language, string> = { fr: 'fr-BE', nl: 'nl-BE', en: 'en-IE' }

/** `1 234,50 €` in the page's own habit. */
export const priceText = (value: string, currency: string, language: Language): string =>
  new Intl.NumberFormat(zones[language], { style: 'currency', currency }).format(Number(value))

export const totalOf = (order: Order): { value: string; currency: string } => {
  const currency = order.units[0]?.amount.currency_code ?? 'EUR'
  return {
    currency,
    value: formatAmount(
      order.units.reduce((all, unit) => all + centsOf(unit), 0),
      currency,
    ),
  }
}

const frame = (texts: ApprovalTexts, body: Html): Html =>
  html` <p class="test-banner" role="note">${texts.banner}</p>
    <main class="checkout">${body}</main>`

/** The page on which a buyer agrees, works without JavaScript and asks for no secret. */
export function approvalPage(view: ApprovalView): string {
  const { order, merchant, language, fundingSource } = view
  const texts = approvalTexts[language]
  const total = totalOf(order)
  const price = priceText(total.value, total.currency, language)
  const declined = order.declines > 0
  const proceed = order.context.user_action === 'CONTINUE' ? texts.continue : texts.approve
  const hidden = (name: string, value: string) =>
    html`<input type="hidden" name="${name}" value="${value}" />`
  const body = html` <header class="checkout-head">
      <p class="brand brand-${fundingSource}">${brandOf(fundingSource)} <span class="tag">TEST</span></p>
      <h1>${fill(texts.payTo, { merchant })}</h1>
      <p class="price">${price}</p>
    </header>
    ${declined && html`<p class="notice notice-bad" role="alert">${texts.declinedNote}</p>`}
    <form method="post" action="/checkoutnow" class="checkout-form">
      ${hidden('token', order.id)}${hidden('flow', view.flow)}${hidden('origin', view.origin)}
      ${hidden('fundingSource', fundingSource)}${hidden('locale', language)}
      <fieldset>
        <legend>${texts.account}</legend>
        <p class="help" id="account-help">${texts.accountHelp}</p>
        <div class="choices">
          ${Object.keys(sentinelBuyers).map((email) => buyerChoice(email, view, texts))}
        </div>
        <label class="field" for="buyer-other">${texts.otherAccount}</label>
        <input
          id="buyer-other"
          name="buyer_other"
          type="email"
          autocomplete="off"
          maxlength="254"
          placeholder="name@example.test"
          value="${otherBuyer(view)}"
          ${view.chosen?.fault ? html`aria-invalid="true" aria-describedby="buyer-fault"` : ''}
        />
        ${view.chosen?.fault && html`<p class="fault" id="buyer-fault">${view.chosen.fault}</p>`}
        <label class="field" for="country">${texts.country}</label>
        <select id="country" name="country">
          ${accountCountries.map((code) => countryOption(code, nameOfCountry(code, language), order))}
          ${countryOption('none', texts.noCountry, order)}
        </select>
      </fieldset>
      <fieldset>
        <legend>${texts.instrument}</legend>
        <div class="choices choices-two">
          ${choice('instrument', 'default', !declined, html`<b>${texts.instrumentDefault}</b>`)}
          ${choice('instrument', 'other', declined, html`<b>${texts.instrumentOther}</b>`)}
        </div>
      </fieldset>
      <div class="pay-bar">
        <button class="button button-main" name="action" value="approve">
          ${fill(proceed, { amount: price })}
        </button>
      </div>
      <div class="buttons">
        <button class="button" name="action" value="decline">${texts.decline}</button>
        <button class="button button-plain" name="action" value="cancel" formnovalidate>
          ${fill(texts.cancel, { merchant })}
        </button>
      </div>
    </form>
    <aside class="summary" aria-label="${texts.details}">
      <h2>${texts.details}</h2>
      ${order.units.map((unit) => summaryOf(unit, texts, language))}
      <dl class="sums sums-total">
        <dt>${texts.total}</dt>
        <dd>${price}</dd>
      </dl>
      <dl class="meta">
        <dt>${texts.order}</dt>
        <dd><code>${order.id}</code></dd>
      </dl>
    </aside>`
  return page(language, `${texts.title} | ${merchant}`, frame(texts, body))
}

const nameOfCountry = (code: string, language: Language): string =>
  new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code

function countryOption(value: string, name: string, { payer }: Order): Html {
  const { country = 'BE' } = payer ?? {}
  return html`<option value="${value}" ${value === (country ?? 'none') ? html`selected` : ''}>
    ${name}
  </option>`
}

const brandOf = (source: string): string => FUNDING[fundingOf(source) ?? 'paypal'].brand

const otherBuyer = ({ order, chosen }: ApprovalView): string => {
  const last = chosen?.buyer ?? order.payer?.email ?? ''
  return isSentinel(last) ? '' : last
}

function buyerChoice(email: string, view: ApprovalView, texts: ApprovalTexts): Html {
  const last = view.chosen?.buyer ?? view.order.payer?.email ?? ''
  const checked = email === (isSentinel(last) ? last : 'buyer@buyer.test')
  const says = texts.buyers[email as keyof ApprovalTexts['buyers']]
  return choice('buyer', email, checked, html`<b>${email}</b><small>${says}</small>`)
}

const choice = (name: string, value: string, checked: boolean, says: Html): Html =>
  html`<label class="choice"
    ><input type="radio" name="${name}" value="${value}" ${checked ? html`checked` : ''} />
    <span>${says}</span></label
  >`

const lineTotal = ({ unit_amount: { value, currency_code: currency }, quantity }: Item): string => {
  const each = parseAmount(value, currency)
  return each.ok ? formatAmount(each.cents * Number(quantity), currency) : value
}

function summaryOf(unit: Order['units'][number], texts: ApprovalTexts, language: Language): Html {
  const { breakdown, currency_code: currency } = unit.amount
  const price = (value: string) => priceText(value, currency, language)
  const sum = (label: string, value: string | undefined, sign = '') =>
    value !== undefined &&
    Number(value) > 0 &&
    html`<dt>${label}</dt>
      <dd>${sign}${price(value)}</dd>`
  return html` ${
      unit.items &&
      html`<ul class="items" aria-label="${texts.items}">
        ${unit.items.map(
          (item) =>
            html`<li>
              <span>${item.name}<small>${item.quantity} × ${price(item.unit_amount.value)}</small></span>
              <span>${price(lineTotal(item))}</span>
            </li>`,
        )}
      </ul>`
    }
    ${!unit.items && unit.description && html`<p>${unit.description}</p>`}
    <dl class="sums">
      ${sum(texts.subtotal, breakdown?.item_total?.value)} ${sum(texts.tax, breakdown?.tax_total?.value)}
      ${sum(texts.shipping, breakdown?.shipping?.value)}
      ${sum(texts.discount, breakdown?.discount?.value, '−')}
    </dl>`
}

/** A page with one message; `role` is for one that announces itself. */
const messageFrame = (
  language: Language,
  title: string,
  content: Html,
  { role, script }: { role?: Html; script?: Html } = {},
): string => {
  const message = html`<div class="message" ${role}>${content}</div>`
  return page(language, title, frame(approvalTexts[language], message), script)
}
const status = html`role="status"`

/** A page with one message, and one way on when there is an address to go to. */
export function messagePage(
  language: Language,
  title: string,
  message: string,
  way?: { href: string; label: string },
): string {
  const link = way && html`<p><a class="button button-main" href="${way.href}">${way.label}</a></p>`
  return messageFrame(
    language,
    title,
    html`<h1>${title}</h1>
      <p>${message}</p>
      ${link}`,
  )
}

/** What the popup shows while the shop still makes its order. */
export const openingPage = (language: Language): string => {
  const { opening, title } = approvalTexts[language]
  const content = html`<div class="turning"></div>
    <p>${opening}</p>`
  return messageFrame(language, title, content, { role: status })
}

/** Tells the shop's page what came of it, then closes; the words are for a window that cannot close. */
export function resultPage(
  language: Language,
  result: { outcome: 'approved' | 'cancelled'; orderID: string; payerID: string; origin: string },
): string {
  const { cancelledTitle, done, doneTitle } = approvalTexts[language]
  const title = result.outcome === 'approved' ? doneTitle : cancelledTitle
  const script = html`<script
    src="/_assets/popup-result.js"
    defer
    data-outcome="${result.outcome}"
    data-order-id="${result.orderID}"
    data-payer-id="${result.payerID}"
    data-origin="${result.origin}"
  ></script>`
  const content = html`<h1>${title}</h1>
    <p>${done}</p>`
  return messageFrame(language, title, content, { role: status, script })
}
