import { sentinelBuyers } from '../buyers.ts'
import type { Core } from '../core.ts'
import { faultNames } from '../faults.ts'
import type { Capture, HookEvent, Language, Order, Refund } from '../model.ts'
import { formatAmount } from '../money.ts'
import { priceText, totalOf } from './approval-page.ts'
import { type BookTexts, bookTexts } from './book-texts.ts'
import { html, type Html, page } from './html.ts'
import { approvalTexts, fill } from './texts.ts'

const rowsShown = 50

/** The newest rows of a table that may hold a million, newest first. */
function newest<T>(rows: ReadonlyMap<string, T>): T[] {
  const skip = Math.max(0, rows.size - rowsShown)
  const kept: T[] = []
  let at = 0
  for (const row of rows.values()) if (at++ >= skip) kept.push(row)
  return kept.toReversed()
}

const stateOf = (state: string): Html =>
  html`<span class="state state-${state.toLowerCase()}">${state}</span>`
const timeOf = (at: string): Html => html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')}</time>`
const act = (action: string, id: string, label: string): Html =>
  html`<form method="post" action="/">
    <input type="hidden" name="id" value="${id}" /><button
      class="button button-small"
      name="action"
      value="${action}"
    >
      ${label}
    </button>
  </form>`

type Column<T> = { head: string; cell: (row: T) => Html | string }

function table<T>(
  title: string,
  all: number,
  rows: readonly T[],
  texts: BookTexts,
  columns: readonly Column<T>[],
): Html {
  const id = title.toLowerCase().replaceAll(/\W/g, '-')
  const body =
    rows.length === 0
      ? html`<p class="empty">${texts.none}</p>`
      : html`<p class="help">${fill(texts.shown, { count: String(rows.length), all: String(all) })}</p>
          <div class="scroll" tabindex="0" role="region" aria-labelledby="${id}">
            <table>
              <thead>
                <tr>
                  ${columns.map(({ head }) => html`<th scope="col">${head}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${rows.map(
                  (row) =>
                    html`<tr>
                      ${columns.map(({ cell }) => html`<td>${cell(row)}</td>`)}
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
  return html`<section>
    <h2 id="${id}">${title}</h2>
    ${body}
  </section>`
}

/** The emulator's own page: its whole book, newest first, and the provider's side of every action. */
export function bookPage(core: Core, language: Language): string {
  const { book, injector, settings, views } = core
  const texts = bookTexts[language]
  const price = (cents: number, currency: string) =>
    priceText(formatAmount(cents, currency), currency, language)

  const created: Column<{ created: string }> = { head: texts.created, cell: (row) => timeOf(row.created) }
  const number: Column<{ id: string }> = { head: texts.number, cell: ({ id }) => html`<code>${id}</code>` }

  const orders = table<Order>(texts.orders, book.orders.size, newest(book.orders), texts, [
    created,
    number,
    { head: texts.state, cell: ({ status }) => stateOf(status) },
    {
      head: texts.amount,
      cell: (order) => priceText(totalOf(order).value, totalOf(order).currency, language),
    },
    { head: texts.buyer, cell: ({ payer }) => payer?.email ?? '' },
    {
      head: texts.reference,
      cell: ({ units }) => html`<code>${units[0]?.custom_id ?? units[0]?.invoice_id ?? ''}</code>`,
    },
    {
      head: texts.actions,
      cell: ({ id, status }) =>
        status === 'COMPLETED' || status === 'VOIDED'
          ? ''
          : html`<a href="${views.approveUrl(id)}">${texts.open}</a>`,
    },
  ])
  const captures = table<Capture>(texts.captures, book.captures.size, newest(book.captures), texts, [
    created,
    number,
    { head: texts.state, cell: ({ status }) => stateOf(status) },
    { head: texts.amount, cell: ({ cents, currency }) => price(cents, currency) },
    {
      head: texts.refunded,
      cell: ({ refunded, currency }) => (refunded > 0 ? price(refunded, currency) : ''),
    },
    { head: texts.order, cell: ({ orderId }) => html`<code>${orderId}</code>` },
    { head: texts.actions, cell: (capture) => captureActions(capture, texts) },
  ])
  const refunds = table<Refund>(texts.refunds, book.refunds.size, newest(book.refunds), texts, [
    created,
    number,
    { head: texts.kind, cell: ({ kind }) => (kind === 'reversal' ? texts.reversal : '') },
    { head: texts.amount, cell: ({ cents, currency }) => price(cents, currency) },
    { head: texts.captures, cell: ({ captureId }) => html`<code>${captureId}</code>` },
  ])
  const events = table<HookEvent>(texts.events, book.events.size, newest(book.events), texts, [
    created,
    { head: texts.kind, cell: ({ type }) => html`<code>${type}</code>` },
    { head: texts.state, cell: ({ state }) => stateOf(state) },
    { head: texts.number, cell: ({ resourceId }) => html`<code>${resourceId}</code>` },
    { head: texts.tries, cell: ({ attempts }) => triesOf(attempts) },
    { head: texts.actions, cell: ({ id }) => (settings.webhookUrl ? act('resend', id, texts.resend) : '') },
  ])
  const target = settings.webhookUrl ? fill(texts.sentTo, { url: settings.webhookUrl }) : texts.noUrl

  const body = html` <p class="test-banner" role="note">${approvalTexts[language].banner}</p>
    <main class="book">
      <header class="book-head">
        <div>
          <h1>${texts.title}</h1>
          <p>${texts.lead} ${target}</p>
        </div>
        <p class="links">
          <a class="button button-small" href="/?locale=${language}">${texts.refresh}</a>
          <a class="button button-small" href="/_emulator/book">${texts.json}</a>
        </p>
      </header>
      ${sums(core, texts, language)} ${orders}${captures}${refunds}${events}
      <section>
        <h2>${texts.faults}</h2>
        <p class="help">${texts.faultsHelp}</p>
        <form method="post" action="/" class="faults">
          ${faultNames.map(
            (name) =>
              html`<label
                >${name}<input name="${name}" inputmode="decimal" value="${injector.current()[name]}"
              /></label>`,
          )}
          <label>seed<input name="seed" inputmode="numeric" value="${injector.seed()}" /></label>
          <button class="button button-main" name="action" value="faults">${texts.save}</button>
        </form>
      </section>
      <section>
        <h2>${texts.buyers}</h2>
        <dl class="buyers">
          ${Object.keys(sentinelBuyers).map(
            (email) =>
              html`<dt><code>${email}</code></dt>
                <dd>${approvalTexts[language].buyers[email as keyof typeof sentinelBuyers]}</dd>`,
          )}
        </dl>
      </section>
      <section class="danger">${act('reset', '', texts.reset)}</section>
    </main>`
  return page(language, texts.title, body)
}

function triesOf(attempts: HookEvent['attempts']): Html | string {
  const last = attempts.at(-1)
  if (!last) return '0'
  const lines = attempts.map(
    (attempt) =>
      html`<li>${timeOf(attempt.at)} ${attempt.status ?? attempt.error ?? ''} (${attempt.ms} ms)</li>`,
  )
  return html`<details>
    <summary>${attempts.length} · ${last.status ?? last.error ?? ''}</summary>
    <ol>
      ${lines}
    </ol>
  </details>`
}

function captureActions({ id, status }: Capture, texts: BookTexts): Html | string {
  if (status === 'PENDING')
    return html`<div class="acts">${act('release', id, texts.release)}${act('deny', id, texts.deny)}</div>`
  if (status !== 'COMPLETED' && status !== 'PARTIALLY_REFUNDED') return ''
  return html`<div class="acts">${act('refund', id, texts.refund)}${act('reverse', id, texts.reverse)}</div>`
}

function sums({ book }: Core, texts: BookTexts, language: Language): Html {
  const tile = (label: string, cents: number, currency: string) =>
    html`<div>
      <dt>${label}</dt>
      <dd>${priceText(formatAmount(cents, currency), currency, language)}</dd>
    </div>`
  return html`<dl class="tiles">
    <div>
      <dt>${texts.orders}</dt>
      <dd>${book.orders.size}</dd>
    </div>
    ${Object.entries(book.sums()).map(
      ([currency, total]) =>
        html`${tile(texts.captured, total.captured, currency)}${tile(texts.pending, total.pending, currency)}${tile(texts.refunded, total.refunded, currency)}`,
    )}
  </dl>`
}
