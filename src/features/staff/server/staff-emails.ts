import { type EmailShop, composeEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'

export interface Colleague {
  id: number
  username: string
  email: string
  language: Language
}

/** What staff are told of by email. */
export type StaffNotice =
  | 'approvalWaits'
  | 'aloneSoon'
  | 'roleChanged'
  | 'secondFactorRemoved'
  | 'recoveryCodeUsed'
  | 'secondFactorAdded'

/**
 * Enqueues an email to a staff member, in the caller's transaction.
 * @param ref makes the email one for each matter: the id of an approval, for example
 */
export async function enqueueStaffNotice(
  trx: Trx,
  shop: EmailShop,
  to: Colleague,
  { notice, ref, values = {} }: { notice: StaffNotice; ref: string; values?: Record<string, string> },
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
      { kind: 'button', label: translate(language, 'console.emails.open'), url: `${shop.publicUrl}/admin/` },
    ],
  })
  await enqueueEmail(trx, {
    key: `staff:${notice}:${ref}:${to.id}`,
    kind: 'staff-notice',
    to: to.email,
    userId: to.id,
    language,
    ...content,
  })
}
