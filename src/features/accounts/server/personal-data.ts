import { languageName } from '#i18n/language-name.ts'
import { type PersonalDataSource, isoOrNull } from '#platform/personal-data.ts'
import { accountStates } from './account-states.repository.ts'
import { accountRecords } from './personal-data.repository.ts'

/** The account itself, the links that were mailed to its addresses, and its logins. */
export const accountPersonalData = {
  name: 'account',
  columns: [
    'users.username',
    'users.email',
    'users.email_confirmed_at',
    'users.phone',
    'users.language',
    'users.partner_code',
    'email_links.user_id',
    'email_links.email',
    'email_links.note',
    'password_reset_requests.email',
    'password_reset_requests.language',
    'password_resets.user_id',
    'sessions.user_id',
    'sessions.browser',
    'sessions.system',
  ],
  async export(trx, { userId }, { say, word, when, language }) {
    const kept = accountRecords(trx)
    const { created_at: createdAt, email_confirmed_at: confirmedAt, ...person } = await kept.account(userId)
    const links = await kept.addressLinks(userId)
    const logins = await kept.sessions(userId)
    return [
      {
        name: 'account',
        data: { ...person, created_at: isoOrNull(createdAt), email_confirmed_at: isoOrNull(confirmedAt) },
        title: say('account.title'),
        blocks: [
          {
            facts: [
              [say('account.id'), String(person.id)],
              [say('account.username'), person.username],
              [say('account.email'), person.email],
              [say('account.confirmed'), when(confirmedAt)],
              [say('account.phone'), person.phone],
              [say('account.language'), languageName(person.language, language)],
              [say('account.code'), person.partner_code],
              [say('account.created'), when(createdAt)],
              [say('account.state'), say(`standing.${person.state}`)],
            ],
          },
        ],
      },
      {
        name: 'address_links',
        isRare: true,
        data: links.map((link) => ({
          ...link,
          created_at: isoOrNull(link.created_at),
          expires_at: isoOrNull(link.expires_at),
        })),
        title: say('links.title'),
        blocks: [
          {
            heads: [say('account.email'), say('links.purpose'), say('links.until')],
            rows: links.map((one) => [one.email, word('links', one.purpose), when(one.expires_at)]),
          },
        ],
      },
      {
        name: 'logins',
        data: logins.map((login) => ({
          ...login,
          created_at: isoOrNull(login.created_at),
          last_used_at: isoOrNull(login.last_used_at),
          ended_at: isoOrNull(login.ended_at),
        })),
        title: say('logins.title'),
        blocks: [
          {
            heads: [say('logins.device'), say('logins.begun'), say('logins.used'), say('logins.ended')],
            rows: logins.map((login) => [
              [login.browser, login.system].filter(Boolean).join(', '),
              when(login.created_at),
              when(login.last_used_at),
              when(login.ended_at),
            ]),
          },
        ],
      },
    ]
  },
  // Until here others may ask for the address.
  eraseLast: async (trx, person) => ({ rows: await accountStates(trx).close(person) }),
} satisfies PersonalDataSource

/** Why and when an account was suspended. */
export const suspensionsPersonalData = {
  name: 'suspensions',
  columns: [
    'account_suspensions.user_id',
    'account_suspensions.reason',
    'account_suspensions.note',
    'account_suspensions.lifted_note',
  ],
  async export(trx, { userId }, { say, when }) {
    const suspensions = await accountRecords(trx).suspensions(userId)
    return [
      {
        name: 'suspensions',
        isRare: true,
        data: suspensions.map((one) => ({
          reason: one.reason,
          suspended_at: isoOrNull(one.suspended_at),
          lifted_at: isoOrNull(one.lifted_at),
        })),
        title: say('suspensions.title'),
        blocks: [
          {
            heads: [say('suspensions.from'), say('suspensions.until')],
            rows: suspensions.map((one) => [when(one.suspended_at), when(one.lifted_at)]),
          },
        ],
      },
    ]
  },
  erase: async (trx, { userId }) => ({ rows: await accountStates(trx).forgetSuspensions(userId) }),
} satisfies PersonalDataSource
