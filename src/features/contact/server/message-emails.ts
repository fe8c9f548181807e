import { greeting } from '#features/accounts/server/index.ts'
import { type Block, type EmailShop, type NewEmail, composeEmail } from '#features/emails/server/index.ts'
import { formatDuration } from '#i18n/duration.ts'
import { formatDateTime } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { PROVIDER_NAME } from '#shared/public-settings.ts'
import type { FilledTemplates } from '../staff-messages.contract.ts'
import { MESSAGE_TEMPLATES, type MessageTemplate } from '../message-templates.rules.ts'

export interface MessageShop extends EmailShop {
  timeZone: string
  /** How long a winner has to claim. */
  drawClaimMinutes: number
  /** For free entries. */
  postalAddress: string
}

interface Addressed {
  /** Of the email. */
  language: Language
  /** Of who will edit it. */
  readerLanguage: Language
  /** A username, or what somebody wrote as theirs. */
  name: string
  /** By which the shop finds the matter; undefined without one. */
  reference?: string
}

/** The templates for one person. What the shop does not know stands in double brackets. */
export const filledTemplates = (
  shop: MessageShop,
  { language, readerLanguage, name, reference }: Addressed,
): FilledTemplates =>
  MESSAGE_TEMPLATES.map((template) => {
    const gap = (what: string): string => translate(language, `emails.templates.gaps.${what}`)
    const values = {
      brand: shop.brand,
      provider: PROVIDER_NAME,
      contact: shop.contactEmail,
      postal: shop.postalAddress,
      order: gap('order'),
      contest: gap('contest'),
      date: gap('date'),
      finding: gap('finding'),
      claimTime: formatDuration(shop.drawClaimMinutes * 60, language),
      reference: reference ?? gap('reference'),
    }
    const say = (part: string, as = language): string =>
      translate(as, `emails.templates.${template}.${part}`, values)
    const closing = translate(language, 'emails.templates.closing', { brand: shop.brand })
    return {
      template,
      label: say('label', readerLanguage),
      // Somebody to whom nothing is answered has not written.
      subject: say(template === 'own' && reference === undefined ? 'firstSubject' : 'subject'),
      text: [greeting(language, name), say('text'), closing].filter((part) => part !== '').join('\n\n'),
    }
  })

interface StaffEmail {
  key: string
  kind: 'message-answer' | 'customer-message'
  to: string
  userId: number | undefined
  language: Language
  subject: string
  text: string
  /** What is answered. */
  quoted?: { text: string; at: Date }
}

/** What staff wrote, in the shop's layout; a reply goes to the shop's address. */
export function staffEmail(shop: MessageShop, email: StaffEmail): NewEmail {
  const { key, kind, to, userId, language, subject, text, quoted } = email
  const paragraphs = text.split(/\n\s*\n/).map((part) => part.trim())
  const blocks: Block[] = paragraphs
    .filter((part) => part !== '')
    .map((part) => ({ kind: 'text', text: part }))
  if (quoted)
    blocks.push(
      {
        kind: 'note',
        text: translate(language, 'emails.templates.youWrote', {
          date: formatDateTime(quoted.at, shop.timeZone),
        }),
      },
      { kind: 'quote', text: quoted.text },
    )
  const content = composeEmail(shop, { language, subject, preview: text.slice(0, 120), blocks })
  return {
    key,
    kind,
    to,
    ...(userId !== undefined && { userId }),
    replyTo: shop.contactEmail,
    language,
    ...content,
  }
}

/** For the audit log, which must not hold what was written. */
export const auditedEmail = ({
  template,
  language,
}: {
  template: MessageTemplate
  language: Language
}): { template: MessageTemplate; language: Language } => ({ template, language })
