import { answersTo, messagesOf } from '#features/contact/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import type { Database } from '#platform/database.ts'
import type { PersonalDataSource, PersonalRecord } from '#platform/personal-data.ts'
import { transact } from '#platform/transaction.ts'
import type { Clock } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { type LocalizedText, textIn } from '#shared/localized-text.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { customerNotFound } from './closing.ts'
import { exportRepository } from './export.repository.ts'
import { staffActionsRepository } from './staff-actions.repository.ts'

export interface ExportShop {
  brand: string
  publicUrl: string
  companyName: string
  companyAddress: string
  contactEmail: string
  timeZone: string
}

export interface ExportDeps {
  db: Database
  clock: Clock
  shop: ExportShop
  sources: readonly PersonalDataSource[]
}

const MESSAGES_MOST = 10_000

const iso = (at: Date | string | null): string | null => (at === null ? null : new Date(at).toISOString())
const amount = (value: number): string => toDecimal(cents(value))

export type PersonalData = Awaited<ReturnType<typeof readPersonalData>>

/** Everything that the shop keeps about a customer, read in one snapshot. @throws Refusal 404 */
export async function readPersonalData(
  { db, clock, shop, sources }: ExportDeps,
  userId: number,
  language: Language,
) {
  return transact(
    db,
    async (trx) => {
      const kept = exportRepository(trx)
      const account = await kept.account(userId)
      if (!account) throw customerNotFound()
      const { email_confirmed_at: confirmedAt, created_at: createdAt, ...person } = account
      const confirmed = confirmedAt === null ? null : account.email
      const messages = []
      for (const message of await messagesOf(trx, { email: confirmed, userId }, MESSAGES_MOST)) {
        const answers = await answersTo(trx, message.id)
        messages.push({
          received_at: iso(message.received_at),
          name: message.name,
          email: message.email,
          language: message.language,
          message: message.message,
          answers: answers.map(({ at, subject, text }) => ({ at: iso(at), subject, text })),
        })
      }
      const others: { name: string; title: string; records: PersonalRecord[] }[] = []
      for (const source of sources)
        if (source.read) others.push({ name: source.name, ...(await source.read(trx, userId, language)) })
      const titleOf = (offer: { titles: LocalizedText }): string => textIn(offer.titles, language).text
      const { brand, companyName, companyAddress, contactEmail, publicUrl } = shop
      return {
        made_at: clock().toISOString(),
        shop: {
          name: brand,
          site: publicUrl,
          company: companyName,
          address: companyAddress,
          contact: contactEmail,
        },
        account: { ...person, created_at: iso(createdAt), email_confirmed_at: iso(confirmedAt) },
        address_links: (await kept.addressLinks(userId)).map((link) => ({
          ...link,
          created_at: iso(link.created_at),
          expires_at: iso(link.expires_at),
        })),
        logins: (await kept.sessions(userId)).map((login) => ({
          ...login,
          created_at: iso(login.created_at),
          last_used_at: iso(login.last_used_at),
          ended_at: iso(login.ended_at),
        })),
        cart: (await kept.cart(userId)).map(({ quantity, answer, added_at, ...offer }) => ({
          contest: titleOf(offer),
          quantity,
          answer,
          added_at: iso(added_at),
        })),
        orders: (await kept.orders(userId)).map((order) => ({
          number: shownOrderNumber(order.number),
          state: order.state,
          created_at: iso(order.created_at),
          country: order.country,
          payer_country: order.payer_country,
          funding_country: order.funding_country,
          language: order.language,
          currency: order.currency,
          subtotal: amount(order.subtotal_cents),
          tax_percent: order.tax_percent,
          tax: amount(order.tax_cents),
          total: amount(order.total_cents),
          payment_service_id: order.provider_order_id,
          network: order.network,
          lines: order.lines.map(({ unit_cents, ...line }) => ({ ...line, unit_price: amount(unit_cents) })),
          payments: order.payments.map(({ amount_cents, at, ...one }) => ({
            ...one,
            amount: amount(amount_cents),
            at: iso(at),
          })),
          refunds: order.refunds.map(({ amount_cents, at, ...one }) => ({
            ...one,
            amount: amount(amount_cents),
            at: iso(at),
          })),
          events: order.events.map((event) => ({ ...event, at: iso(event.at) })),
        })),
        tickets: (await kept.tickets(userId)).map((ticket) => ({
          contest: titleOf(ticket),
          contest_address: ticket.slug,
          number: padTicketNumber(ticket.number, ticket.total_tickets),
          status: ticket.status,
          source: ticket.source,
          issued_at: iso(ticket.issued_at),
          given_up_at: iso(ticket.given_up_at),
          order: ticket.order_number === null ? null : shownOrderNumber(ticket.order_number),
        })),
        messages,
        emails: (await kept.emails(userId)).map((email) => ({
          ...email,
          queued_at: iso(email.queued_at),
          closed_at: iso(email.closed_at),
        })),
        suspensions: (await kept.suspensions(userId)).map((one) => ({
          reason: one.reason,
          suspended_at: iso(one.suspended_at),
          lifted_at: iso(one.lifted_at),
        })),
        security_log: (await kept.securityLog(userId)).map((event) => ({ ...event, at: iso(event.at) })),
        // Without the names of staff.
        staff_actions: (await staffActionsRepository(trx).of(userId))
          .toReversed()
          .map(({ at, action }) => ({ at: iso(at), action })),
        others,
      }
    },
    { isolation: 'repeatable read' },
  )
}
