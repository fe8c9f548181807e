import type { SliceMakers } from '#features/emails/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import type { LinkTokens } from '#platform/link-tokens.ts'
import type { Language } from '#shared/languages.ts'
import { emailLinkTokens, resetTokens } from './tokens.ts'

type Page = (language: Language) => string

interface Deps extends SecretKeys {
  db: Database
  shop: { resetPasswordUrl: Page; emailLinkUrl: Page }
}

export function accountsEmailMakers({ db, secret, previousSecret, shop }: Deps): SliceMakers {
  /** With the token as the fragment, which browsers send to no server. */
  const link = (tokens: LinkTokens, page: Page) => async (ref: string, language: Language) =>
    `${page(language)}#${await tokens.made(db, ref)}`
  return {
    links: {
      'password-reset': link(resetTokens(secret, previousSecret), shop.resetPasswordUrl),
      'email-link': link(emailLinkTokens(secret, previousSecret), shop.emailLinkUrl),
    },
  }
}
