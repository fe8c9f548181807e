import type { SliceMakers } from '#features/emails/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import type { Language } from '#shared/languages.ts'
import { attachProof, attachReceipt, claimTokens, writeClaimEmail, writeStepEmail } from './claims/claims.ts'
import { type DrawEmailShop, attachProofs, writeDrawEmail } from './draw-emails.ts'
import { checkpointMailFile } from './checkpoint-mails.ts'

interface Deps extends SecretKeys {
  db: Database
  shop: DrawEmailShop & { claimUrl: (language: Language) => string }
}

export const drawsEmailMakers = ({ db, secret, previousSecret, shop }: Deps): SliceMakers => ({
  bodies: {
    'draw-sealed': writeDrawEmail(db, shop, 'sealed'),
    'draw-result': writeDrawEmail(db, shop, 'result'),
    'draw-won': writeClaimEmail(db, shop, 'won'),
    'draw-reminder': writeClaimEmail(db, shop, 'reminder'),
    'draw-claim-step': writeStepEmail(db, shop),
  },
  attachments: {
    'draw-sealed': attachProofs(db, shop, 'sealed'),
    'draw-result': attachProofs(db, shop, 'result'),
    'draw-won': attachProof(db, shop),
    'draw-claim': attachReceipt(db),
    'draw-checkpoints': checkpointMailFile(db),
  },
  links: {
    'draw-claim': async (ref, language) =>
      `${shop.claimUrl(language)}#${await claimTokens(secret, previousSecret).made(db, ref)}`,
  },
})
