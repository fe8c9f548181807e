import { randomUUID } from 'node:crypto'
import { addresseeOf } from '#features/accounts/server/index.ts'
import { type EmailShop, composeEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import { audit } from '#platform/audit-log.ts'
import type { Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'

/** Queues an email to whoever asks for it, the way that every other one goes. @returns its key */
export async function enqueueTestEmail(trx: Trx, shop: EmailShop, actor: StaffCaller): Promise<string> {
  const addressee = await addresseeOf(trx, actor.userId)
  if (!addressee) throw new Error('staff without an account')
  const { id, email, language } = addressee
  const say = (part: 'subject' | 'text'): string =>
    translate(language, `emails.test.${part}`, { brand: shop.brand })
  const key = `test:${randomUUID()}`
  const content = composeEmail(shop, {
    language,
    subject: say('subject'),
    preview: say('text'),
    blocks: [{ kind: 'text', text: say('text') }],
  })
  await enqueueEmail(trx, {
    key,
    kind: 'test',
    to: email,
    userId: id,
    language,
    usefulMinutes: 60,
    ...content,
  })
  await audit(trx, { actor, action: 'system.sendTestEmail', after: { key } })
  return key
}
