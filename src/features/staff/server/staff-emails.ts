import { type EmailShop, composeEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'

export interface StaffShop extends EmailShop {
  /** ALERT_EMAIL: what an owner could hide from colleagues goes there too. */
  alertEmail: string | undefined
}

export interface Colleague {
  /** Null for the operator's address, which is no account. */
  id: number | null
  username: string
  email: string
  language: Language
}

/** What staff are told of by email. */
export type StaffNotice =
  | 'approvalWaits'
  | 'aloneSoon'
  | 'actsAloneSoon'
  | 'approvalExpired'
  | 'approvedNotDone'
  | 'roleChanged'
  | 'roleRemoved'
  | 'colleagueRemoved'
  | 'secondFactorRemoved'
  | 'ownFactorRemoved'
  | 'recoveryCodeUsed'
  | 'recoveryCodesRenewed'
  | 'secondFactorAdded'

/**
 * Enqueues an email to a staff member, or to the operator, in the caller's transaction.
 * @param ref makes the email one for each matter: the id of an approval, for example
 * @param reason what a colleague wrote
 */
export async function enqueueStaffNotice(
  trx: Trx,
  shop: EmailShop,
  to: Colleague,
  {
    notice,
    ref,
    values = {},
    reason,
  }: { notice: StaffNotice; ref: string; values?: Record<string, string>; reason?: string },
): Promise<void> {
  const { language } = to
  const say = (part: 'subject' | 'text'): string =>
    translate(language, `console.emails.${notice}.${part}`, {
      brand: shop.brand,
      name: to.username,
      ...values,
    })
  const content = composeEmail(shop, {
    language,
    subject: say('subject'),
    preview: say('subject'),
    title: say('subject'),
    blocks: [
      { kind: 'text', text: say('text') },
      ...(reason === undefined
        ? []
        : [{ kind: 'text' as const, text: translate(language, 'console.emails.reason', { reason }) }]),
      { kind: 'button', label: translate(language, 'console.emails.open'), url: `${shop.publicUrl}/admin/` },
    ],
  })
  await enqueueEmail(trx, {
    key: `staff:${notice}:${ref}:${to.id ?? 'operator'}`,
    kind: 'staff-notice',
    to: to.email,
    ...(to.id !== null && { userId: to.id }),
    language,
    ...content,
  })
}
