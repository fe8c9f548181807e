/** Claims of prizes: opened with the result, submitted by the winner, and what the winner gets by email. */
import { greeting } from '#features/accounts/server/index.ts'
import {
  type Block,
  type EmailFile,
  type NewEmail,
  SECRET_LINK,
  composeEmail,
  enqueueEmail,
} from '#features/emails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { translate, zonedTime } from '#i18n/server-translator.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { hashToken } from '#platform/keyed-hashes.ts'
import { type LinkTokens, linkTokens } from '#platform/link-tokens.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { textFields } from '#shared/text-fields.ts'
import { Refusal } from '#shared/refusal.ts'
import type { Claim, ClaimForm, ConsentForm, RecordBody } from '../../claims.contract.ts'
import { claimState } from '../../claims.rules.ts'
import {
  type AttemptId,
  type ClaimRow,
  MOST_TOLD,
  claimsRepository,
  claimsWrites,
  publicWinner,
} from './claims.repository.ts'
import { type DrawEmailShop, emailPicturePath, pictureOf } from '../draw-emails.ts'
import { drawEmailsRepository } from '../draw-emails.repository.ts'
import { drawStepsWrites } from '../draw-steps.repository.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import { eachDraw } from '../each-draw.ts'
import { hashFacts, proofFacts, proofFile } from '../proof-file.ts'
import { logStoredClaim, receiptFiles, receiptOf } from './receipts.ts'
import { type ClaimStep, hasReceipt, refOf, stepKey, valuesOf } from './tell-winner.ts'

/** The tokens of winners' links; a reference is that of an attempt. */
export const claimTokens = (secret: string, previousSecret?: string): LinkTokens =>
  linkTokens({ secret, previousSecret }, 'volant prize claim', {
    hashOf: (db, ref) => claimsRepository(db).hashOf(idOfRef(ref)),
    async refOf(db, hash) {
      const id = await claimsRepository(db).idOf(hash)
      return id && refOf(id)
    },
  })

const idOfRef = (ref: string): AttemptId => {
  const [offerId = 0, attempt = 0] = ref.split('.').map(Number)
  return { offerId, attempt }
}

export interface ClaimsDeps {
  db: Database
  tokens: Pick<LinkTokens, 'of'>
}

/** Background job: opens the claims of drawn attempts and reminds winners. @returns how many emails */
export async function openClaims({ db, tokens }: ClaimsDeps): Promise<number> {
  let sent = 0
  try {
    await eachDraw(await claimsRepository(db).unopened(), {}, (id) =>
      transact(db, async (trx) => {
        if (!(await claimsWrites(trx).open(id, hashToken(tokens.of(refOf(id)))))) return
        sent += await enqueueClaimEmail(trx, id, 'won', `draw-won:${refOf(id)}`)
      }),
    )
  } finally {
    for (let isMore = true; isMore;)
      isMore = await transact(db, async (trx) => {
        const due = await claimsWrites(trx).takeReminder()
        if (due) sent += await enqueueClaimEmail(trx, due, 'reminder', reminderKey(due, due.reminder))
        return due !== undefined
      })
  }
  return sent
}

const reminderKey = (id: AttemptId, reminder: number): string => `draw-claim:${refOf(id)}:${reminder}`

/** The keys of the emails about a claim. */
export const claimEmailKeys = (id: AttemptId): string[] => [
  `draw-won:${refOf(id)}`,
  reminderKey(id, 1),
  reminderKey(id, 2),
  ...Array.from({ length: MOST_TOLD }, (_, index) => stepKey(id, index + 1)),
]

/** The keys of the emails to the posters of entries about a prize. */
export const entrantClaimKeys = async (db: Sql, entryIds: readonly string[]): Promise<string[]> =>
  (await claimsRepository(db).ofEntries(entryIds)).flatMap(claimEmailKeys)

type ClaimEmailKind = 'won' | 'reminder'

/** @returns 1, or 0 for a winner without an address or with a void number */
async function enqueueClaimEmail(
  trx: Trx,
  id: AttemptId,
  kind: ClaimEmailKind,
  key: string,
): Promise<number> {
  const claim = await claimsRepository(trx).find(id)
  if (!claim || claim.is_void || claim.known_email === null) return 0
  const { user_id: userId, known_email: to, language } = claim
  const email: NewEmail = {
    key,
    kind: `draw-${kind}`,
    to,
    ...(userId !== null && { userId }),
    language,
    subject: translate(language, `drawClaims.emails.${kind}.subject`, valuesOf(claim, language)),
    bodyRef: { kind: `draw-${kind}`, ref: refOf(id) },
    attachments: [{ kind: 'draw-won', ref: refOf(id) }],
    secretLink: { kind: 'draw-claim', ref: refOf(id) },
  }
  return (await enqueueEmail(trx, email)) ? 1 : 0
}

/** Writes the bodies of an email when it is sent. @param ref of an attempt @throws Error when there is none */
export const writeClaimEmail =
  (db: Sql, shop: DrawEmailShop, kind: ClaimEmailKind) =>
  async (ref: string, language: Language): Promise<{ text: string; html: string }> => {
    const { claim, hashes } = await provenClaim(db, ref)
    const proofs = proofFacts({ ...claim, ...hashes, proofs: [proofOf(claim)] }, shop, language)
    const values = {
      ...valuesOf(claim, language),
      until: zonedTime(claim.until, shop.timeZone, language),
      proveUntil: zonedTime(claim.prove_until, shop.timeZone, language),
      email: shop.contactEmail,
    }
    const say = (name: 'subject' | 'text' | 'preview'): string =>
      translate(language, `drawClaims.emails.${kind}.${name}`, values)
    const hello =
      claim.known_name === null
        ? translate(language, 'emails.helloUnnamed')
        : greeting(language, claim.known_name)
    const blocks: Block[] = [
      { kind: 'text', text: hello },
      { kind: 'text', text: say('text') },
      { kind: 'bigPlate', number: values.number },
      { kind: 'button', label: translate(language, 'drawClaims.emails.action'), url: SECRET_LINK },
      { kind: 'text', text: translate(language, 'drawClaims.emails.until', values) },
      { kind: 'text', text: translate(language, 'drawClaims.emails.proof', values) },
      { kind: 'note', text: translate(language, 'drawClaims.emails.secret', values) },
      { kind: 'note', text: translate(language, 'emails.draw.attached', { count: 1 }) },
      {
        kind: 'link',
        label: translate(language, 'emails.draw.see'),
        url: shop.drawUrl(claim.slug, language),
      },
      {
        kind: 'plain',
        blocks: [
          { kind: 'heading', text: translate(language, 'emails.draw.result.proofs', { count: 1 }) },
          { kind: 'text', text: translate(language, 'emails.draw.result.proof') },
          { kind: 'facts', facts: [...proofs, ...hashFacts(hashes, language)] },
        ],
      },
    ]
    return composeEmail(shop, {
      language,
      subject: say('subject'),
      preview: say('preview'),
      picture: pictureOf(claim, language),
      hasWon: true,
      blocks,
    })
  }

/** Makes the file of such an email. @param ref of an attempt @throws Error when there is none */
export const attachProof =
  (db: Sql, shop: DrawEmailShop) =>
  async (ref: string, language: Language): Promise<EmailFile[]> => {
    const { claim, hashes } = await provenClaim(db, ref)
    return [proofFile({ ...claim, ...hashes, proofs: [proofOf(claim)], more: 0 }, shop, language)]
  }

async function provenClaim(db: Sql, ref: string) {
  const id = idOfRef(ref)
  const [claim, hashes] = await Promise.all([
    claimsRepository(db).find(id),
    drawEmailsRepository(db).hashes(id.offerId, id.attempt),
  ])
  if (!claim || !hashes) throw new Error('an email about a claim that there is not')
  return { claim, hashes }
}

/** Writes the bodies of an email about a step. @param ref of an attempt, with the step */
export const writeStepEmail =
  (db: Sql, shop: DrawEmailShop) =>
  async (ref: string, language: Language): Promise<{ text: string; html: string }> => {
    const [offerId, attempt, step] = ref.split('.')
    const claim = await claimsRepository(db).find({ offerId: Number(offerId), attempt: Number(attempt) })
    if (!claim) throw new Error('an email about a claim that there is not')
    const values = { ...valuesOf(claim, language), email: shop.contactEmail }
    const say = (name: string): string =>
      translate(language, `drawClaims.emails.${step as ClaimStep}.${name as 'text'}`, values)
    return composeEmail(shop, {
      language,
      subject: say('subject'),
      preview: say('text'),
      picture: pictureOf(claim, language),
      blocks: [
        {
          kind: 'text',
          text:
            claim.known_name === null
              ? translate(language, 'emails.helloUnnamed')
              : greeting(language, claim.known_name),
        },
        { kind: 'text', text: say('text') },
        { kind: 'bigPlate', number: values.number },
        { kind: 'button', label: translate(language, 'drawClaims.emails.see'), url: SECRET_LINK },
        ...receiptBlocks(claim, step as ClaimStep, language),
        { kind: 'text', text: translate(language, 'drawClaims.emails.notYou', values) },
        { kind: 'note', text: translate(language, 'drawClaims.emails.secret', values) },
      ],
    })
  }

/** What the files are for, and the hash of the claim that the log has and staff saw. */
function receiptBlocks(claim: ClaimRow, step: ClaimStep, language: Language): Block[] {
  if (!claim.leaf_hash) return []
  const hash = claim.leaf_hash.toString('hex')
  const fact = { name: translate(language, 'drawClaims.emails.hash'), text: hash }
  return [
    ...(hasReceipt(step)
      ? [{ kind: 'text' as const, text: translate(language, 'drawClaims.emails.receipt') }]
      : []),
    { kind: 'plain', blocks: [{ kind: 'facts', facts: [fact] }] },
  ]
}

/** Makes the files of an email that says that a claim was received. @param ref of an attempt */
export const attachReceipt =
  (db: Sql) =>
  (ref: string): Promise<EmailFile[]> =>
    receiptFiles(db, idOfRef(ref))

const proofOf = ({ number, ticket_id: ticketId, salt }: ClaimRow) => ({ number, ticketId, salt })

/** How a winner names their claim: by the stored hash of the link, or as the account that has the number. */
export type ClaimKey = { tokenHash: Buffer } | { slug: string; userId: number }

/** @throws Refusal 404 */
export async function claimOfLink(db: Sql, tokens: LinkTokens, token: string): Promise<ClaimKey> {
  const tokenHash = await tokens.linkOf(db, token)
  if (!tokenHash) throw notFound()
  return { tokenHash }
}

const notFound = (): Refusal => new Refusal('claim.notFound', 404, 'drawClaims.refusals.notFound')

async function requireClaim(db: Sql, key: ClaimKey): Promise<ClaimRow> {
  const claims = claimsRepository(db)
  const row = await ('tokenHash' in key ? claims.byToken(key.tokenHash) : claims.own(key.slug, key.userId))
  if (!row) throw notFound()
  return row
}

const idOf = ({ offer_id: offerId, attempt }: ClaimRow): AttemptId => ({ offerId, attempt })

/** @throws Refusal 404 */
export const readClaim = async (db: Sql, key: ClaimKey): Promise<Claim> =>
  toClaim(db, await requireClaim(db, key))

/** @throws Refusal 404, 409 */
export const submitClaim = (
  { db, key: logKey }: Pick<DrawsDeps, 'db' | 'key'>,
  key: ClaimKey,
  form: ClaimForm,
): Promise<Claim> =>
  transact(db, async (trx) => {
    const claim = await requireClaim(trx, key)
    await storeClaim(trx, { key: logKey }, claim, form, null)
    return toClaim(trx, await requireClaim(trx, key))
  })

/**
 * Stores a claim, with its leaf if it is another one than before, and sends the receipt.
 * @param recordedBy staff who write it down @throws Refusal 409 when nothing can be submitted any more
 */
export async function storeClaim(
  trx: Trx,
  deps: Pick<DrawsDeps, 'key'>,
  claim: ClaimRow,
  form: ClaimForm | RecordBody,
  recordedBy: number | null,
): Promise<void> {
  const id = idOf(claim)
  // The order of locks of all steps of draws.
  await drawStepsWrites(trx).lockOffer(id.offerId)
  if (await claimsWrites(trx).submit(id, form, recordedBy)) return logStoredClaim(trx, deps, id)
  const present = await claimsRepository(trx).find(id)
  if (present?.awarded_at) throw new Refusal('claim.fixed', 409, 'drawClaims.refusals.fixed')
  throw recordedBy !== null && present?.submitted_at && !present.forfeited_at
    ? new Refusal('claim.ofWinner', 409, 'consoleDraws.refusals.ofWinner')
    : new Refusal('claim.over', 409, 'drawClaims.refusals.over')
}

/** @throws Refusal 404, 409 */
export const changeConsents = (db: Database, key: ClaimKey, form: ConsentForm): Promise<Claim> =>
  transact(db, async (trx) => {
    const claim = await requireClaim(trx, key)
    if (!(await claimsWrites(trx).consent(idOf(claim), form)))
      throw new Refusal('claim.over', 409, 'drawClaims.refusals.over')
    return toClaim(trx, await requireClaim(trx, key))
  })

/** What was submitted; null before that, and once it is erased. */
export function contactOf({ name, address, postcode, city, country, phone }: ClaimRow): Claim['contact'] {
  if (name === null || address === null || city === null || country === null) return null
  return { name, address, postcode, city, country, phone }
}

function suggestionOf(claim: ClaimRow): Claim['suggested'] {
  const {
    postal_entry_id: card,
    known_name: name,
    card_address,
    card_postcode,
    card_city,
    card_country,
  } = claim
  if (card === null || card_address === null || card_city === null || card_country === null)
    // An address as a name of an account is no name.
    return name === null || name.includes('@') ? null : { name }
  return {
    ...(name !== null && { name }),
    address: card_address,
    postcode: card_postcode,
    city: card_city,
    country: card_country,
  }
}

async function toClaim(db: Sql, claim: ClaimRow): Promise<Claim> {
  const { slug, titles, picture } = claim
  const contact = contactOf(claim)
  return {
    contest: { slug, ...textFields('title', titles), picture: picture && emailPicturePath(slug) },
    attempt: claim.attempt,
    number: padTicketNumber(claim.number, claim.total),
    drawn_at: claim.drawn_at.toISOString(),
    until: claim.until.toISOString(),
    prove_until: claim.prove_until.toISOString(),
    // A void entry wins nothing: its forfeiture follows.
    state: claim.is_void && !claim.awarded_at ? 'forfeited' : claimState(claim),
    reason: claim.reason,
    submitted_at: claim.submitted_at?.toISOString() ?? null,
    receipt: await receiptOf(db, claim),
    contact,
    suggested: contact ? null : suggestionOf(claim),
    winner: publicWinner(claim),
    picture: claim.picture_consent_at !== null,
    delivered_on: claim.delivered_on,
  }
}
