/** What the email about a sealed list attaches, so that its reader holds what binds the shop (docs/draw-v1.md, section 13). */
import type { EmailFile } from '#features/emails/server/index.ts'
import type { Sql } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { drawEmailsRepository } from './draw-emails.repository.ts'
import { REGISTER, drawLogsRepository } from './draw-logs.repository.ts'
import { attestedAt, confirmedFor, policyOfDraw } from './register/policies.ts'
import { registerRepository } from './register/register.repository.ts'

/** Whether the email about a sealed list waits for the witnesses, so that it can attach what they have signed. */
export async function awaitsWitnesses(db: Sql, offerId: number): Promise<boolean> {
  const policy = await policyOfDraw(db, offerId)
  const seal = policy && (await drawEmailsRepository(db).seal(offerId))
  if (!seal?.isAwaited) return false
  const [confirmed] = await attestedAt(db, policy!, seal.slug, [seal.index])
  return confirmed === null
}

/** The last checkpoint of the contest, and the last one of the register that the witnesses have confirmed with the seal in it. */
export async function sealFiles(db: Sql, offerId: number): Promise<EmailFile[]> {
  const logs = drawLogsRepository(db)
  const [own, register] = [await logs.lastCheckpoint(offerId), await logs.lastCheckpoint(REGISTER)]
  const note = (await confirmedWithSeal(db, offerId)) ?? register!.witnessed
  return [textFile('checkpoint.txt', own!.note), textFile('register-checkpoint.txt', note)]
}

async function confirmedWithSeal(db: Sql, offerId: number): Promise<string | undefined> {
  const policy = await policyOfDraw(db, offerId)
  const seal = policy && (await drawEmailsRepository(db).seal(offerId))
  const stored = registerRepository(db)
  const index = seal && (await stored.indexFor(seal.slug, seal.index))
  if (!policy || index === null || index === undefined) return undefined
  const last = (await confirmedFor(db, policy, [index])).at(-1)
  return last && last.size > index ? (await stored.notes([last.id]))[0] : undefined
}

/** A file of an email that holds what the protocol describes, as it is. */
export const textFile = (filename: string, content: string): EmailFile => ({
  filename,
  contentType: 'text/plain; charset=utf-8',
  content: Buffer.from(content),
})

interface Kept {
  slug: string
  terms_hash: string
  list_hash: string
}

/** The address of a page that compares a draw with what an email said of it. What follows `#` is sent nowhere. */
export function keptLink(
  { slug, terms_hash: terms, list_hash: list }: Kept,
  { drawUrl }: { drawUrl: (slug: string, language: Language) => string },
  language: Language,
): string {
  const base64url = (hash: string): string => Buffer.from(hash, 'hex').toString('base64url')
  const url = new URL(drawUrl('verify', language))
  url.searchParams.append('contest', slug)
  url.hash = `kept.${base64url(terms)}.${base64url(list)}`
  return url.href
}
