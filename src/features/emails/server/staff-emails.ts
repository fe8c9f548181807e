import { translate } from '#i18n/server-translator.ts'
import type { Sql } from '#platform/database.ts'
import { isUuid } from '#platform/ids.ts'
import type { Language } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import { type StaffPermission, type StaffRole, permits } from '#shared/staff-permissions.ts'
import type { ListedEmail, SentEmail } from '../emails.contract.ts'
import { type EmailRow, emailsRepository } from './emails.repository.ts'
import { SECRET_LINK } from './enqueue-email.ts'
import type { EmailMakers } from './mailer.ts'

export type EmailBodies = EmailMakers['bodies']

/** Emails to staff: whoever reads one of another account may read what it tells of. */
const READERS: Readonly<Record<string, StaffPermission>> = {
  report: 'reports.read',
  'audit-checkpoint': 'audit.read',
  'draw-checkpoints': 'audit.read',
  'staff-notice': 'staff.read',
  alert: 'alerts.read',
}

/** The kinds of emails that a role does not see. */
export const kindsHiddenFrom = (role: StaffRole): string[] =>
  Object.entries(READERS).flatMap(([kind, permission]) => (permits(role, permission) ? [] : kind))

/** How staff see an email in a list. */
export const listedEmail = ({
  id,
  kind,
  subject,
  language,
  state,
  queued_at,
  closed_at,
  erased_at,
}: Pick<
  EmailRow,
  'id' | 'kind' | 'subject' | 'language' | 'state' | 'queued_at' | 'closed_at' | 'erased_at'
>): ListedEmail => ({
  id,
  kind,
  subject: erased_at === null ? subject : null,
  language,
  state,
  queued_at: queued_at.toISOString(),
  closed_at: closed_at?.toISOString() ?? null,
})

/** Emails with these keys, the newest first. */
export const emailsWithKeys = async (db: Sql, keys: readonly string[]): Promise<ListedEmail[]> =>
  keys.length === 0 ? [] : (await emailsRepository(db).withKeys(keys)).map(listedEmail)

/** Whose emails may be shown: those of an account, or those with certain keys. */
type Owner = { userId: number } | { keys: readonly string[] }

const isOf = ({ key, user_id }: EmailRow, owner: Owner): boolean =>
  'keys' in owner ? owner.keys.includes(key) : user_id === owner.userId

/**
 * An email as it was sent, without the secret of its link, which lets its recipient alone into the account.
 * @param language of the reader @throws Refusal 404; 403 for an email to staff about what the role may not read
 */
export async function sentEmail(
  db: Sql,
  bodies: EmailBodies,
  { id, owner, role, language }: { id: string; owner: Owner; role: StaffRole; language: Language },
): Promise<SentEmail> {
  const email = isUuid(id) ? await emailsRepository(db).byId(id) : undefined
  if (!email || !isOf(email, owner)) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
  if (kindsHiddenFrom(role).includes(email.kind))
    throw new Refusal('auth.staffOnly', 403, 'console.refusals.notPermitted')
  const isErased = email.erased_at !== null
  return {
    ...listedEmail(email),
    to: isErased ? null : email.recipient,
    text: isErased ? null : await textOf(email, bodies, language),
    error: email.last_error,
  }
}

async function textOf(email: EmailRow, bodies: EmailBodies, language: Language): Promise<string> {
  const { body_ref: ref } = email
  const write = ref && bodies[ref.kind]
  const text = write ? (await write(ref.ref, email.language)).text : email.body_text
  return text.replaceAll(SECRET_LINK, () => translate(language, 'console.sentEmail.secretLink'))
}
