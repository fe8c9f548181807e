import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { type PersonalDataSource, isoOrNull } from '#platform/personal-data.ts'
import { textIn } from '#shared/localized-text.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { keptTicketsOf } from './tickets.repository.ts'

/** Numbers that somebody holds or held. They stay with the account, which names nobody once it is closed. */
export const ticketsPersonalData = {
  name: 'tickets',
  columns: ['tickets.user_id'],
  async export(trx, { userId }, { say, word, when, language }) {
    const tickets = (await keptTicketsOf(trx, userId)).map((ticket) => ({
      contest: textIn(ticket.titles, language).text,
      contest_address: ticket.slug,
      number: padTicketNumber(ticket.number, ticket.total_tickets),
      status: ticket.status,
      source: ticket.source,
      issued_at: isoOrNull(ticket.issued_at),
      given_up_at: isoOrNull(ticket.given_up_at),
      order: ticket.order_number === null ? null : shownOrderNumber(ticket.order_number),
    }))
    const heads = [
      say('tickets.number'),
      say('tickets.source'),
      say('state'),
      say('at'),
      say('tickets.order'),
    ]
    return [
      {
        name: 'tickets',
        data: tickets,
        title: say('tickets.title'),
        blocks: [...Map.groupBy(tickets, (ticket) => ticket.contest)].flatMap(([contest, ofContest]) => [
          { heading: contest },
          {
            heads,
            rows: ofContest.map((one) => [
              one.number,
              word('tickets.sources', one.source),
              one.given_up_at === null ? word('tickets.states', one.status) : say('tickets.givenUp'),
              when(one.issued_at),
              one.order,
            ]),
          },
        ]),
      },
    ]
  },
} satisfies PersonalDataSource
