/**
 * Emails about a draw to everybody who takes part: when the list is sealed, and when a winner is drawn. What proves it is
 * attached, and in the plain text (docs/draw-v1.md, sections 5 and 13). When the winner forfeits, a short one names the
 * alternate. They advertise nothing.
 */
import { greeting } from '#features/accounts/server/index.ts'
import {
  type Block,
  type EmailFile,
  type EmailPicture,
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
import { type LocalizedText, textIn } from '#shared/localized-text.ts'
import { eachDraw } from './each-draw.ts'
import { hashFacts, proofFacts, proofFile } from './proof-file.ts'
import { awaitsWitnesses, keptLink, sealFiles } from './seal-files.ts'
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
/** Numbers whose proofs an attached file has. */
const NUMBERS_PROVED = 1_000

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
    await eachDraw(due.flat(), {}, async (one) => {
      if (one.kind === 'result' || !(await awaitsWitnesses(db, one.id))) await tell(one)
    })
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
  const ref = isAlternate ? `${id}.${attempt}` : String(id)
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
    bodyRef: { kind: `draw-${kind}`, ref },
    ...(!isAlternate && { attachments: [{ kind: `draw-${kind}`, ref }] }),
  }
}

/** @param ref of a recipient @throws Error when there is none */
async function factsOf(
  db: Sql,
  ref: string,
  mostNumbers: number,
): Promise<{ facts: DrawFacts; attempt: number }> {
  const [id = 0, attempt = 0] = ref.split('.').map(Number)
  const facts = await drawEmailsRepository(db).facts(id, attempt, mostNumbers)
  if (!facts) throw new Error('an email to nobody who takes part in a draw')
  return { facts, attempt }
}

/**
 * Makes the files of an email when it is sent: before the draw the hashes and the last checkpoints, then the proofs of its
 * reader's numbers.
 */
export const attachProofs =
  (db: Sql, shop: DrawEmailShop, kind: DrawEmailKind) =>
  async (ref: string, language: Language): Promise<EmailFile[]> => {
    const { facts } = await factsOf(db, ref, kind === 'sealed' ? 0 : NUMBERS_PROVED)
    const proofs = proofsOf(facts)
    const more = kind === 'sealed' ? 0 : facts.count - proofs.length
    const file = proofFile({ ...facts, proofs, more }, shop, language)
    return kind === 'sealed' ? [file, ...(await sealFiles(db, facts.offer_id))] : [file]
  }

const proofsOf = ({ numbers }: DrawFacts) =>
  numbers.map(({ number, ticket_id: ticketId, salt }) => ({ number, ticketId, salt }))

/** Where the picture of a contest is that its emails and the claim page show. @param slug of a contest with pictures */
export const emailPicturePath = (slug: string): string => `/media/email-${slug}.jpg`

/** The car of a contest, if there is a picture of it. */
export const pictureOf = (
  { slug, titles, picture }: { slug: string; titles: LocalizedText; picture: LocalizedText | null },
  language: Language,
): EmailPicture | undefined =>
  picture
    ? {
        path: emailPicturePath(slug),
        alt: textIn(picture, language).text || textIn(titles, language).text,
      }
    : undefined

/** Writes the bodies of an email when it is sent. @param ref of a recipient @throws Error when there is none */
export const writeDrawEmail =
  (db: Sql, shop: DrawEmailShop, kind: DrawEmailKind) =>
  async (ref: string, language: Language): Promise<{ text: string; html: string }> => {
    const { facts, attempt } = await factsOf(db, ref, NUMBERS_SHOWN)
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
  const { slug, valid, count, draw_at } = facts
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
    picture: pictureOf(facts, language),
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
        ],
      },
      { kind: 'plain', blocks: [{ kind: 'facts', facts: hashFacts(facts, language) }] },
      { kind: 'button', label: say('see'), url: shop.drawUrl(slug, language) },
      { kind: 'note', text: say('sealed.keep') },
      { kind: 'link', label: say('sealed.compare'), url: keptLink(facts, shop, language) },
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
    picture: pictureOf(facts, language),
    blocks: [
      hello(facts, language),
      { kind: 'text', text: say('alternate.text', values) },
      { kind: 'bigPlate', number: values.number },
      { kind: 'text', text: say('result.lost', values) },
      { kind: 'button', label: say('see'), url: shop.drawUrl(facts.slug, language) },
    ],
  })
}

function resultEmail(facts: DrawFacts, shop: DrawEmailShop, language: Language) {
  const { slug, numbers, count } = facts
  const say = sayOf(language)
  const values = resultValues(facts, shop, language)
  const more = count - numbers.length
  const proofBlocks: Block[] = [
    { kind: 'heading', text: say('result.proofs', { count: numbers.length }) },
    { kind: 'text', text: say('result.proof') },
    {
      kind: 'facts',
      facts: [
        ...proofFacts({ ...facts, proofs: proofsOf(facts) }, shop, language),
        ...hashFacts(facts, language),
      ],
    },
    ...(more > 0
      ? [
          { kind: 'note' as const, text: translate(language, 'emails.receipt.more', { count: more }) },
          {
            kind: 'link' as const,
            label: say('result.allProofs', values),
            url: shop.participationsUrl(language),
          },
        ]
      : []),
  ]
  return composeEmail(shop, {
    language,
    subject: say('result.subject', values),
    preview: say('result.lost', values),
    picture: pictureOf(facts, language),
    blocks: [
      hello(facts, language),
      { kind: 'text', text: say('result.text', values) },
      { kind: 'bigPlate', number: values.number },
      { kind: 'text', text: say('result.lost', values) },
      ...ownNumbers(facts, language),
      { kind: 'button', label: say('see'), url: shop.drawUrl(slug, language) },
      ...(numbers.length > 0
        ? [
            { kind: 'note' as const, text: say('attached', values) },
            { kind: 'plain' as const, blocks: proofBlocks },
          ]
        : []),
    ],
  })
}
