/**
 * Emails about a draw to everybody who takes part: when the list is sealed, with the hashes to keep, and when a winner is
 * drawn, with the proof of their numbers (docs/draw-v1.md, sections 5 and 12). They advertise nothing.
 */
import { greeting } from '#features/accounts/server/index.ts'
import {
  type Block,
  type EmailShop,
  type NewEmail,
  composeEmail,
  enqueueEmails,
} from '#features/emails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { formatDateTime, formatZoneName } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database, Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { type Language, localized } from '#shared/languages.ts'
import { proofFragment } from '../protocol/commitments.ts'
import {
  type DrawEmailKind,
  type DrawFacts,
  type Recipient,
  drawEmailsRepository,
  drawEmailsWrites,
} from './draw-emails.repository.ts'

export interface DrawEmailShop extends EmailShop {
  timeZone: string
  /** Of the public page of a draw. */
  drawUrl: (slug: string, language: Language) => string
}

const KINDS = ['sealed', 'result'] as const satisfies readonly DrawEmailKind[]
const BATCH = 200
/** Numbers that an email shows; all are under "My participations". */
const NUMBERS_SHOWN = 10

/** Background job: writes to everybody who takes part, once for each of both emails. @returns how many emails */
export async function sendDrawEmails(db: Database): Promise<number> {
  for (const offerId of await drawEmailsRepository(db).uncollected())
    await transact(db, (trx) => drawEmailsWrites(trx).collect(offerId))
  let sent = 0
  for (const kind of KINDS)
    for (let taken = BATCH; taken === BATCH;)
      taken = await transact(db, async (trx) => {
        const batch = await drawEmailsWrites(trx).take(kind, BATCH)
        sent += await enqueueEmails(
          trx,
          batch.recipients.map((one) => emailTo(one, kind)),
        )
        return batch.taken
      })
  return sent
}

/** The keys of the emails about a draw to a poster. */
export const posterKeys = (entryId: string): string[] => KINDS.map((kind) => `draw-${kind}:post:${entryId}`)

function emailTo(recipient: Recipient, kind: DrawEmailKind): NewEmail {
  const { id, offer_id, user_id, postal_entry_id, email, language, total, winning_number } = recipient
  const [title, number] = [
    localized(recipient, 'title', language).text,
    padTicketNumber(winning_number ?? 0, total),
  ]
  return {
    key:
      postal_entry_id === null
        ? `draw-${kind}:${offer_id}:${user_id}`
        : `draw-${kind}:post:${postal_entry_id}`,
    kind: `draw-${kind}`,
    to: email,
    ...(user_id !== null && { userId: user_id }),
    language,
    subject: translate(language, `emails.draw.${kind}.subject`, { title, number }),
    bodyRef: { kind: `draw-${kind}`, ref: String(id) },
  }
}

/** Writes the bodies of an email when it is sent. @param ref of a recipient @throws Error when there is none */
export const writeDrawEmail =
  (db: Sql, shop: DrawEmailShop, kind: DrawEmailKind) =>
  async (ref: string, language: Language): Promise<{ text: string; html: string }> => {
    const facts = await drawEmailsRepository(db).facts(Number(ref), NUMBERS_SHOWN)
    if (!facts) throw new Error('an email to nobody who takes part in a draw')
    return kind === 'sealed' ? sealedEmail(facts, shop, language) : resultEmail(facts, shop, language)
  }

const sayOf =
  (language: Language) =>
  (key: string, values: Record<string, string | number> = {}): string =>
    translate(language, `emails.draw.${key}`, values)

function hello(facts: DrawFacts, language: Language): Block {
  return {
    kind: 'text',
    text: facts.name === null ? translate(language, 'emails.helloUnnamed') : greeting(language, facts.name),
  }
}

function ownNumbers({ count, numbers, total }: DrawFacts, language: Language): Block[] {
  if (count === 0) return []
  const more = count - numbers.length
  return [
    { kind: 'plates', numbers: numbers.map(({ number }) => padTicketNumber(number, total)) },
    ...(more > 0
      ? [{ kind: 'note' as const, text: translate(language, 'emails.receipt.more', { count: more }) }]
      : []),
  ]
}

function sealedEmail(facts: DrawFacts, shop: DrawEmailShop, language: Language) {
  const { slug, valid, count, draw_at, round, list_hash, terms_hash } = facts
  const say = sayOf(language)
  const values = {
    title: localized(facts, 'title', language).text,
    entries: valid,
    count,
    date: formatDateTime(draw_at, shop.timeZone),
  }
  return composeEmail(shop, {
    language,
    subject: say('sealed.subject', values),
    preview: say('sealed.preview', values),
    blocks: [
      hello(facts, language),
      { kind: 'text', text: say('sealed.text', values) },
      ...ownNumbers(facts, language),
      {
        kind: 'facts',
        facts: [
          { name: say('drawAt'), text: `${values.date} ${formatZoneName(draw_at, shop.timeZone, language)}` },
          { name: say('entries'), text: valid.toLocaleString(language) },
          { name: say('round'), text: String(round) },
          { name: say('listHash'), text: list_hash },
          { name: say('termsHash'), text: terms_hash },
        ],
      },
      { kind: 'text', text: say('sealed.keep') },
      { kind: 'button', label: say('see'), url: shop.drawUrl(slug, language) },
    ],
  })
}

function resultEmail(facts: DrawFacts, shop: DrawEmailShop, language: Language) {
  const { slug, total, numbers, count, draw_at, drawn_at, winning_number, list_hash } = facts
  const say = sayOf(language)
  const number = padTicketNumber(winning_number ?? 0, total)
  const values = {
    title: localized(facts, 'title', language).text,
    number,
    count,
    date: formatDateTime(drawn_at ?? draw_at, shop.timeZone),
  }
  const proofBlocks: Block[] = [
    { kind: 'heading', text: say('result.proofs', { count: numbers.length }) },
    { kind: 'text', text: say('result.proof') },
    {
      kind: 'facts',
      facts: [
        ...numbers.map(({ number: own, ticket_id: ticketId, salt }) => ({
          name: padTicketNumber(own, total),
          text: `${shop.drawUrl(slug, language)}${proofFragment({ number: own, ticketId, salt })}`,
        })),
        { name: say('listHash'), text: list_hash },
      ],
    },
  ]
  return composeEmail(shop, {
    language,
    subject: say('result.subject', values),
    preview: say('result.lost', values),
    blocks: [
      hello(facts, language),
      { kind: 'text', text: say('result.text', values) },
      { kind: 'plates', numbers: [number] },
      { kind: 'text', text: say('result.lost', values) },
      ...(numbers.length > 0 ? proofBlocks : []),
      ...(count > numbers.length
        ? [
            {
              kind: 'note' as const,
              text: translate(language, 'emails.receipt.more', { count: count - numbers.length }),
            },
          ]
        : []),
      { kind: 'button', label: say('see'), url: shop.drawUrl(slug, language) },
    ],
  })
}
