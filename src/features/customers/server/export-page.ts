import { formatDateTime, formatEur } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import { type AuditAction, keyOfCode } from '#shared/audit-actions.ts'
import { countryName } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import type { PersonalData } from './read-personal-data.ts'
import { languageName } from '#i18n/language-name.ts'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid; font-size: 1.25rem; }
h3 { margin-bottom: 0; font-size: 1.05rem; }
dl { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: .25rem 1rem; } dt { opacity: .75; } dd { margin: 0; }
table { width: 100%; border-collapse: collapse; } th, td { padding: .35rem .75rem .35rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
.scroll { overflow-x: auto; } blockquote { margin: .5rem 0; padding-inline-start: 1rem; border-inline-start: 3px solid; white-space: pre-wrap; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .5rem; } }
`

type Fact = readonly [name: string, text: string | null]

/** One page without scripts and without anything to load, in the reader's language. */
export function exportPage(data: PersonalData, language: Language, timeZone: string): string {
  const t = (name: string, values?: Record<string, string | number>): string =>
    translate(language, `personalData.${name}`, values)
  /** A code by its words; one without words as it is. */
  const wordsOr = (code: string, words: () => string): string => {
    try {
      return words()
    } catch (error) {
      if (error instanceof RangeError) return code
      throw error
    }
  }
  const word = (group: string, code: string): string =>
    wordsOr(code, () => t(`${group}.${code.replaceAll('-', '_')}`))
  /** As the audit log of the console says it. */
  const actionOf = (code: string): string =>
    wordsOr(code, () => translate(language, `console.codes.actions.${keyOfCode(code as AuditAction)}`))
  const when = (at: string | null): string | null => (at === null ? null : formatDateTime(at, timeZone))
  const country = (code: string | null): string | null => (code === null ? null : countryName(code, language))

  const facts = (all: readonly Fact[]): string => {
    const shown = all.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '')
    return `<dl>${shown.map(([name, text]) => `<dt>${escape(name)}</dt><dd>${escape(text)}</dd>`).join('')}</dl>`
  }
  const table = (heads: readonly string[], rows: readonly (readonly (string | null)[])[]): string => {
    const head = heads.map((one) => `<th scope="col">${escape(one)}</th>`).join('')
    const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${escape(cell ?? '')}</td>`).join('')}</tr>`)
    return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
  }
  const section = (name: string, parts: readonly string[]): string =>
    `<section><h2>${escape(name)}</h2>${parts.length === 0 ? `<p>${escape(t('nothing'))}</p>` : parts.join('')}</section>`
  const tabled = (
    name: string,
    heads: readonly string[],
    rows: readonly (readonly (string | null)[])[],
  ): string => section(name, rows.length === 0 ? [] : [table(heads, rows)])

  const { account, shop } = data
  const title = t('title', { brand: shop.name })
  const contests = Map.groupBy(data.tickets, (ticket) => ticket.contest)

  const sections = [
    section(t('account.title'), [
      facts([
        [t('account.id'), String(account.id)],
        [t('account.username'), account.username],
        [t('account.email'), account.email],
        [t('account.confirmed'), when(account.email_confirmed_at)],
        [t('account.phone'), account.phone],
        [t('account.language'), languageName(account.language, language)],
        [t('account.code'), account.partner_code],
        [t('account.created'), when(account.created_at)],
        [t('account.state'), t(`standing.${account.state}`)],
      ]),
    ]),
    ...(data.address_links.length === 0
      ? []
      : [
          tabled(
            t('links.title'),
            [t('account.email'), t('links.purpose'), t('links.until')],
            data.address_links.map((one) => [one.email, word('links', one.purpose), when(one.expires_at)]),
          ),
        ]),
    tabled(
      t('logins.title'),
      [t('logins.device'), t('logins.begun'), t('logins.used'), t('logins.ended')],
      data.logins.map((login) => [
        [login.browser, login.system].filter(Boolean).join(', '),
        when(login.created_at),
        when(login.last_used_at),
        when(login.ended_at),
      ]),
    ),
    tabled(
      t('cart.title'),
      [t('contest'), t('quantity'), t('answer'), t('at')],
      data.cart.map((line) => [line.contest, String(line.quantity), line.answer, when(line.added_at)]),
    ),
    section(
      t('orders.title'),
      data.orders.map((order) => {
        const paid = order.payments.map(
          (one) => `${formatEur(one.amount, language)}, ${when(one.at)}, ${one.id}`,
        )
        const back = order.refunds.map((one) =>
          [formatEur(one.amount, language), when(one.at), one.note].filter(Boolean).join(', '),
        )
        const lines = order.lines.map((line) => [
          line.title,
          String(line.quantity),
          formatEur(line.unit_price, language),
          line.answer,
        ])
        return [
          `<h3>${escape(t('orders.number', { number: order.number }))}</h3>`,
          facts([
            [t('at'), when(order.created_at)],
            [t('state'), word('orders.states', order.state)],
            [t('orders.subtotal'), formatEur(order.subtotal, language)],
            [t('orders.tax'), `${formatEur(order.tax, language)} (${Number(order.tax_percent)} %)`],
            [t('orders.total'), formatEur(order.total, language)],
            [t('orders.country'), country(order.country)],
            [t('orders.payerCountry'), country(order.payer_country)],
            [t('orders.fundingCountry'), country(order.funding_country)],
            [t('orders.payments'), paid.join('; ')],
            [t('orders.refunds'), back.join('; ')],
            [t('security.network'), order.network],
          ]),
          table([t('contest'), t('quantity'), t('orders.price'), t('answer')], lines),
          table(
            [t('at'), t('orders.event')],
            order.events.map((event) => [when(event.at), word('orders.states', event.state)]),
          ),
        ].join('')
      }),
    ),
    section(
      t('tickets.title'),
      [...contests].map(([contest, tickets]) => {
        const rows = tickets.map((one) => [
          one.number,
          word('tickets.sources', one.source),
          one.given_up_at === null ? word('tickets.states', one.status) : t('tickets.givenUp'),
          when(one.issued_at),
          one.order,
        ])
        const heads = [t('tickets.number'), t('tickets.source'), t('state'), t('at'), t('tickets.order')]
        return `<h3>${escape(contest)}</h3>${table(heads, rows)}`
      }),
    ),
    ...data.others.map(({ title: name, records }) =>
      section(
        name,
        records.map(
          (record) =>
            `<h3>${escape(record.title)}</h3>${facts([[t('at'), when(record.at)], ...record.facts])}`,
        ),
      ),
    ),
    section(
      t('messages.title'),
      data.messages.map((message) => {
        const answers = message.answers.map(
          (one) =>
            `<p>${escape(t('messages.answered', { date: when(one.at) ?? '', subject: one.subject }))}</p><blockquote>${escape(one.text)}</blockquote>`,
        )
        const head = t('messages.from', { date: when(message.received_at) ?? '', name: message.name })
        return `<h3>${escape(head)}</h3><p>${escape(message.email)}</p><blockquote>${escape(message.message)}</blockquote>${answers.join('')}`
      }),
    ),
    section(
      t('emails.title'),
      data.emails.map((email) => {
        const head = `<h3>${escape(email.subject ?? t('emails.erased'))}</h3>`
        const about = facts([
          [t('at'), when(email.queued_at)],
          [t('emails.to'), email.recipient],
          [t('state'), word('emails.states', email.state)],
        ])
        return email.text === null
          ? head + about
          : `${head}${about}<blockquote lang="${email.language}">${escape(email.text)}</blockquote>`
      }),
    ),
    ...(data.suspensions.length === 0
      ? []
      : [
          tabled(
            t('suspensions.title'),
            [t('suspensions.from'), t('suspensions.until')],
            data.suspensions.map((one) => [when(one.suspended_at), when(one.lifted_at)]),
          ),
        ]),
    tabled(
      t('security.title'),
      [t('at'), t('security.event'), t('security.times'), t('security.network')],
      data.security_log.map((one) => [
        when(one.at),
        word('security.events', one.event),
        String(one.times),
        one.network,
      ]),
    ),
    tabled(
      t('staff.title'),
      [t('at'), t('staff.action')],
      data.staff_actions.map((one) => [when(one.at), actionOf(one.action)]),
    ),
  ]

  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escape(title)}</h1>
<p>${escape(t('made', { date: when(data.made_at) ?? '', zone: timeZone }))}</p>
<p>${escape(t('controller', { company: shop.company, address: shop.address, contact: shop.contact }))}</p>
</header>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`
}
