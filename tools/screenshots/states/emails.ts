import type { Mailbox, MailboxEmail } from '#features/emails/emails.contract.ts'
import { printed, type Stage, type State } from '../state.ts'

/** A kind of mail in the language of the pictures, as a mail program shows its HTML. */
const mail = (name: string, kind: string, more: Partial<State> = {}): State => ({
  name: `mail/${name}`,
  withoutScripts: true,
  open: async ({ page, shop, language }) => {
    const emails = await shop.call<Mailbox>('GET', '/api/demo/emails/')
    const one = emails.find((entry) => entry.kind === kind && entry.language === language)
    if (!one) throw new Error(`no mail "${kind}" in ${language}; there are: ${kindsOf(emails)}`)
    const { html_url: url } = await shop.call<MailboxEmail>('GET', `/api/demo/emails/${one.id}/`)
    await page.goto(url)
  },
  ...more,
})

const kindsOf = (emails: Mailbox): string =>
  emails.map(({ kind, language }) => `${kind} (${language})`).join(', ')

const receipt = mail('receipt', 'receipt')

/** What the shop writes to people. */
export const MAIL_STATES: readonly State[] = [
  mail('welcome', 'welcome'),
  receipt,
  {
    ...receipt,
    name: 'mail/receipt-printed',
    widths: [768],
    open: async (stage: Stage) => {
      await receipt.open(stage)
      await printed(stage.page)
    },
  },
]
