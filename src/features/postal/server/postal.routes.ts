import { formatDay } from '#i18n/format.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Alerts } from '#features/alerts/server/index.ts'
import { SentEmail } from '#features/emails/emails.contract.ts'
import { type EmailBodies, sentEmail } from '#features/emails/server/index.ts'
import type { StaffShop } from '#features/staff/server/index.ts'
import { AwaitingApproval } from '#features/staff/staff.contract.ts'
import { translate } from '#i18n/server-translator.ts'
import { audit, auditRead } from '#platform/audit-log.ts'
import { inThread } from '#platform/documents/documents.ts'
import { type StaffCaller, staffOf } from '#platform/http/request.ts'
import { isUuid } from '#platform/ids.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  CheckBody,
  CorrectBody,
  Desk,
  ENTRIES_LIMIT,
  EntriesQuery,
  EntryEmailParams,
  EntryPage,
  EntryParams,
  LettersQuery,
  Parity,
  PostalEntry,
  RegisterBody,
  SimilarEntries,
  VoidBody,
  VoidPreview,
} from '../postal.contract.ts'
import { dayOf, envelopeLines, shownPostalNumber } from '../postal.rules.ts'
import type { Letter, LetterShop, lettersPdf as draw } from './letter.ts'
import { type EntryRow, emailKeysOf, postalRepository, postalWrites } from './postal.repository.ts'
import {
  type PostalDeps,
  checkEntrant,
  desk,
  hasLetter,
  isVoid,
  registerCard,
  requireEntry,
  requireRow,
  toListed,
} from './postal.service.ts'
import { type PostalShop, entrantMessage } from './entrant-emails.ts'
import { askVoid, correctCard, previewVoid } from './card-changes.ts'

/** The parity meter reads so many entries and payments. */
const COMPARED = 200
/** Letters of a file. */
const LETTERS_MAX = 200

const lettersPdf = inThread<typeof draw>(new URL('./letter.ts', import.meta.url), 'lettersPdf')

export interface PostalRoutesOptions extends PostalDeps {
  alerts: Alerts
  shop: PostalShop & LetterShop
  /** Write the emails whose texts are not stored. */
  emailBodies: EmailBodies
  /** For emails to colleagues. */
  staffShop: StaffShop
}

/** The post desk: registering cards, finding them again, letters, and how long post waits for its numbers. */
export const postalRoutes =
  (options: PostalRoutesOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const { db, timeZone } = options
    const tags = ['staff']
    const reads = { permits: 'post.read' } as const
    const registers = { permits: 'post.register' } as const

    app.get(
      '/api/staff/post/contests/',
      { config: registers, schema: { tags, response: { 200: Desk } } },
      () => desk(options),
    )

    app.post(
      '/api/staff/post/check/',
      { config: registers, schema: { tags, body: CheckBody, response: { 200: SimilarEntries } } },
      async (request) => ({ items: await checkEntrant(options, staffOf(request), request.body) }),
    )

    app.post(
      '/api/staff/post/entries/',
      {
        config: registers,
        schema: { tags, body: RegisterBody, response: { 200: PostalEntry, 201: PostalEntry } },
      },
      async (request, reply) => {
        const { entry, isNew } = await registerCard(options, staffOf(request), request.body)
        return reply.code(isNew ? 201 : 200).send(entry)
      },
    )

    app.get(
      '/api/staff/post/entries/',
      { config: reads, schema: { tags, querystring: EntriesQuery, response: { 200: EntryPage } } },
      async (request) => {
        const { query } = request
        const limit = query.limit ?? ENTRIES_LIMIT.default
        const rows = await postalRepository(request.reads).page({
          ...query,
          after: readCursor(query.after),
          limit: limit + 1,
        })
        const shown = rows.slice(0, limit)
        const last = shown.at(-1)
        await auditRead(db, {
          actor: staffOf(request),
          action: 'post.list',
          after: { shown: shown.map(({ id }) => id) },
        })
        return {
          items: shown.map(toListed),
          next: rows.length > limit && last ? `${last.at_us}_${last.id}` : null,
        }
      },
    )

    app.get(
      '/api/staff/post/entries/:id/',
      { config: reads, schema: { tags, params: EntryParams, response: { 200: PostalEntry } } },
      async (request) => {
        const entry = await requireEntry(db, request.params.id)
        await auditRead(db, {
          actor: staffOf(request),
          action: 'post.read',
          subject: { kind: 'postalEntry', id: entry.id },
        })
        return entry
      },
    )

    const one = '/api/staff/post/entries/:id/'
    app.post(
      `${one}correct/`,
      {
        config: registers,
        schema: { tags, params: EntryParams, body: CorrectBody, response: { 200: PostalEntry } },
      },
      (request) => correctCard(options, staffOf(request), request.params.id, request.body),
    )
    app.get(
      `${one}void/preview/`,
      {
        config: { permits: 'post.void', stepUp: false },
        schema: { tags, params: EntryParams, response: { 200: VoidPreview } },
      },
      ({ params }) => previewVoid(options, params.id),
    )
    app.post(
      `${one}void/`,
      {
        config: { permits: 'post.void' },
        schema: { tags, params: EntryParams, body: VoidBody, response: { 202: AwaitingApproval } },
      },
      async (request, reply) => {
        const { params, body } = request
        const approval = await askVoid(options, options.staffShop, staffOf(request), params.id, body)
        return reply.code(202).send({ approval })
      },
    )

    app.get(
      '/api/staff/post/entries/:id/emails/:email/',
      { config: reads, schema: { tags, params: EntryEmailParams, response: { 200: SentEmail } } },
      async (request) => {
        const { id, email } = request.params
        await requireRow(db, id)
        const owner = { keys: await emailKeysOf(db, [id]) }
        const { language } = request
        const { role } = staffOf(request)
        const shown = await sentEmail(db, options.emailBodies, { id: email, owner, role, language })
        await auditRead(db, {
          actor: staffOf(request),
          action: 'emails.read',
          subject: { kind: 'postalEntry', id },
          after: { email },
        })
        return shown
      },
    )

    app.post(
      '/api/staff/post/entries/:id/letter/',
      { config: registers, schema: { tags, params: EntryParams } },
      async (request, reply) => {
        const entry = await requireRow(db, request.params.id)
        if (!hasLetter(entry)) throw new Refusal('post.noLetter', 409, 'consolePost.refusals.noLetter')
        return print(options, staffOf(request), [entry], request.language, reply)
      },
    )

    app.post(
      '/api/staff/post/letters/',
      { config: { permits: 'post.print' }, schema: { tags, querystring: LettersQuery } },
      async (request, reply) => {
        const { bag, again } = request.query
        const entries = await postalRepository(db).toPrint(bag, again === 'true', LETTERS_MAX)
        if (entries.length === 0)
          throw new Refusal('post.nothingToPrint', 409, 'consolePost.refusals.nothingToPrint')
        return print(options, staffOf(request), entries, request.language, reply)
      },
    )

    app.get(
      '/api/staff/post/parity/',
      { config: reads, schema: { tags, response: { 200: Parity } } },
      (request) => postalRepository(request.reads).waits(COMPARED, timeZone),
    )
  }

/** `next` of a page. An unreadable one is the beginning. */
function readCursor(after: string | undefined) {
  const [us = '', id = ''] = after?.split('_') ?? []
  return /^\d{1,16}$/.test(us) && isUuid(id) ? { us: Number(us), id } : undefined
}

/** The letters of these entries were made. @param voids those whose letter said that the number is void */
const notePrinted = (
  { db }: PostalRoutesOptions,
  actor: StaffCaller,
  ids: readonly string[],
  voids: readonly string[],
) =>
  transact(db, async (trx) => {
    await postalWrites(trx).markPrinted(ids, voids)
    const [id] = ids
    const one = ids.length === 1 && id !== undefined
    await audit(trx, {
      actor,
      action: 'post.print',
      ...(one ? { subject: { kind: 'postalEntry', id } } : { after: { shown: ids } }),
    })
  })

async function print(
  options: PostalRoutesOptions,
  actor: StaffCaller,
  entries: readonly EntryRow[],
  language: Language,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { clock, timeZone, shop } = options
  const now = clock()
  const date = formatDay(dayOf(now, timeZone))
  const [first] = entries
  const one = entries.length === 1 && first ? shownPostalNumber(first.number) : undefined
  const title = translate(language, 'postal.letters.title', { count: entries.length, number: one ?? '' })
  const { brand, companyName, companyAddress, letterWindow } = shop
  const settings = { brand, companyName, companyAddress, letterWindow }
  const letters = entries.map((entry) => toLetter(entry, shop, date))
  const pdf = await lettersPdf(
    `staff ${actor.userId}`,
    letters,
    title,
    language,
    first?.registered_at ?? now,
    settings,
  )
  await notePrinted(
    options,
    actor,
    entries.map(({ id }) => id),
    entries.filter(isVoid).map(({ id }) => id),
  )
  const name = translate(language, 'postal.letters.fileName')
  return reply
    .type('application/pdf')
    .header('content-disposition', `inline; filename="${name}${one === undefined ? '' : `-${one}`}.pdf"`)
    .header('content-language', language)
    .send(pdf)
}

function toLetter(entry: EntryRow, shop: PostalShop, date: string): Letter {
  const { name, address, postcode, city, country, language } = entry
  return {
    message: entrantMessage(entry, shop),
    to: envelopeLines({ name: name ?? '', address: address ?? [], postcode, city: city ?? '', country }),
    date,
    footer: [
      `${shop.companyName}, ${shop.companyAddress}, ${shop.contactEmail}`,
      translate(language, 'postal.rules', { url: shop.rulesUrl(language) }),
    ],
  }
}
