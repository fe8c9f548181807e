/**
 * Emails about a draw to everybody who takes part: when the list is sealed, with the hashes to keep, and when a winner is
 * drawn, with the proof of their numbers (docs/draw-v1.md, sections 5 and 12). When the winner forfeits, a short one names
 * the alternate. They advertise nothing.
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
import { formatDateTime } from '#i18n/format.ts'
import { translate, zonedTime } from '#i18n/server-translator.ts'
import type { Database, Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { proofFragment } from '#draw-protocol/commitments.ts'
import { eachDraw } from './each-draw.ts'
import {
  type DrawEmailKind,
  type DrawFacts,
  MOST_TOLD,
  type Recipient,
  drawEmailsRepository,
  drawEmailsWrites,
} from './draw-emails.repository.ts'

export interface DrawEmailShop extends EmailShop {
  timeZone: string
  /** Of the public page of a draw. */
  drawUrl: (slug: string, language: Language) => string
  /** Of the page with all numbers of an account. */
  participationsUrl: (language: Language) => string
}

const KINDS = ['sealed', 'result'] as const satisfies readonly DrawEmailKind[]
const BATCH = 200
/** Numbers that an email shows; all are under "My participations". */
const NUMBERS_SHOWN = 10

/** Background job: writes to everybody who takes part, once about the list and about each result. @returns how many emails */
export async function sendDrawEmails(db: Database): Promise<number> {
  let sent = 0
  const tell = async ({ id, kind }: { id: number; kind: DrawEmailKind }): Promise<void> => {
    for (let taken = BATCH; taken === BATCH;)
      taken = await transact(db, async (trx) => {
        const batch = await drawEmailsWrites(trx).take(id, kind, BATCH)
        sent += await enqueueEmails(
          trx,
          batch.recipients.map((one) => emailTo(one, kind)),
        )
        return batch.taken
      })
  }
  const stored = drawEmailsRepository(db)
  try {
    await eachDraw(await stored.uncollected(), {}, (id) =>
      transact(db, (trx) => drawEmailsWrites(trx).collect(id)),
    )
  } finally {
    const due = await Promise.all(
      KINDS.map(async (kind) => (await stored.toTell(kind)).map((id) => ({ id, kind }))),
    )
    await eachDraw(due.flat(), {}, tell)
  }
  return sent
}

/** The keys of the emails about a draw to a poster. */
export const entrantKeys = (entryId: string): string[] => [
  keyOf('sealed', `post:${entryId}`, 0),
  ...Array.from({ length: MOST_TOLD + 1 }, (_, attempt) => keyOf('result', `post:${entryId}`, attempt)),
]

const keyOf = (kind: DrawEmailKind, who: string, attempt: number): string =>
  `draw-${kind}:${who}${attempt > 0 ? `:${attempt}` : ''}`

function emailTo(recipient: Recipient, kind: DrawEmailKind): NewEmail {
  const { id, offer_id, user_id, postal_entry_id, email, language, total, attempt, winning_number } =
    recipient
  const userId = user_id ?? recipient.entry_user_id
  const [title, number] = [
    textIn(recipient.titles, language).text,
    padTicketNumber(winning_number ?? 0, total),
  ]
  const isAlternate = attempt > 0
  const who = postal_entry_id === null ? `${offer_id}:${user_id}` : `post:${postal_entry_id}`
  return {
    key: keyOf(kind, who, attempt),
    kind: `draw-${kind}`,
    to: email,
    ...(userId !== null && { userId }),
    language,
    subject: translate(language, `emails.draw.${isAlternate ? 'alternate' : kind}.subject`, {
      title,
      number,
    }),
    bodyRef: { kind: `draw-${kind}`, ref: isAlternate ? `${id}.${attempt}` : String(id) },
  }
}

/** Writes the bodies of an email when it is sent. @param ref of a recipient @throws Error when there is none */
export const writeDrawEmail =
  (db: Sql, shop: DrawEmailShop, kind: DrawEmailKind) =>
  async (ref: string, language: Language): Promise<{ text: string; html: string }> => {
    const [id = 0, attempt = 0] = ref.split('.').map(Number)
    const facts = await drawEmailsRepository(db).facts(id, attempt, NUMBERS_SHOWN)
    if (!facts) throw new Error('an email to nobody who takes part in a draw')
    if (attempt > 0) return alternateEmail(facts, shop, language)
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
  const { slug, valid, count, draw_at, round, list_hash, list_root, terms_hash } = facts
  const say = sayOf(language)
  const values = {
    title: textIn(facts.titles, language).text,
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
          {
            name: say('drawAt'),
            text: zonedTime(draw_at, shop.timeZone, language),
          },
          { name: say('entries'), text: valid.toLocaleString(language) },
          { name: say('round'), text: String(round) },
          { name: say('listHash'), text: list_hash },
          { name: say('listRoot'), text: list_root },
          { name: say('termsHash'), text: terms_hash },
        ],
      },
      { kind: 'text', text: say('sealed.keep') },
      { kind: 'button', label: say('see'), url: shop.drawUrl(slug, language) },
    ],
  })
}

const resultValues = (facts: DrawFacts, shop: DrawEmailShop, language: Language) => ({
  title: textIn(facts.titles, language).text,
  number: padTicketNumber(facts.winning_number ?? 0, facts.total),
  count: facts.count,
  date: formatDateTime(facts.drawn_at ?? facts.draw_at, shop.timeZone),
})

function alternateEmail(facts: DrawFacts, shop: DrawEmailShop, language: Language) {
  const say = sayOf(language)
  const values = resultValues(facts, shop, language)
  return composeEmail(shop, {
    language,
    subject: say('alternate.subject', values),
    preview: say('result.lost', values),
    blocks: [
      hello(facts, language),
      { kind: 'text', text: say('alternate.text', values) },
      { kind: 'plates', numbers: [values.number] },
      { kind: 'text', text: say('result.lost', values) },
      { kind: 'button', label: say('see'), url: shop.drawUrl(facts.slug, language) },
    ],
  })
}

function resultEmail(facts: DrawFacts, shop: DrawEmailShop, language: Language) {
  const { slug, total, numbers, count, list_hash, list_root, terms_hash } = facts
  const say = sayOf(language)
  const values = resultValues(facts, shop, language)
  const { number } = values
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
        { name: say('listRoot'), text: list_root },
        { name: say('termsHash'), text: terms_hash },
      ],
    },
  ]
  const more: Block[] = [
    {
      kind: 'note',
      text: translate(language, 'emails.receipt.more', { count: count - numbers.length }),
    },
    { kind: 'button', label: say('result.allProofs', values), url: shop.participationsUrl(language) },
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
      ...(count > numbers.length ? more : []),
      { kind: 'button', label: say('see'), url: shop.drawUrl(slug, language) },
    ],
  })
}
