import { email, filled, list, setting, url, WEB } from './setting-kinds.ts'

/** How mails leave: the e-mail service of the contact form, and a mail server. */
export const MAIL_SETTINGS = {
  emailjsOrigin: setting(
    'EMAILJS_ORIGIN',
    url('http'),
    WEB,
    'https://api.emailjs.com',
    'E-mail service of the contact form, used once its three keys are given; else the shop mails the messages.',
  ),
  emailjsPublicKey: setting(
    'EMAILJS_PUBLIC_KEY',
    filled.optional(),
    'the public key',
    undefined,
    'Public key of the e-mail service.',
  ),
  emailjsServiceId: setting(
    'EMAILJS_SERVICE_ID',
    filled.optional(),
    'the service id',
    undefined,
    'Service id of the e-mail service.',
  ),
  emailjsTemplateId: setting(
    'EMAILJS_TEMPLATE_ID',
    filled.optional(),
    'the template id',
    undefined,
    'Template id of the e-mail service.',
  ),
  contactBlocked: setting(
    'CONTACT_BLOCKED',
    list.optional(),
    'addresses and @domains separated by commas',
    undefined,
    'Senders whose messages the contact form refuses; a set-up e-mail service has its own list.',
  ),
  smtpUrl: setting(
    'SMTP_URL',
    url('smtp').optional(),
    'an address that begins with smtp:// or smtps://',
    undefined,
    'Mail server; left out, the demonstration keeps its mails and shows them under /demo/mailbox. Live mode needs one.',
  ),
  mailFrom: setting(
    'MAIL_FROM',
    email.optional(),
    'an e-mail address',
    undefined,
    'Address that mails come from; left out, it is CONTACT_EMAIL.',
  ),
} as const
