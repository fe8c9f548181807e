/** What the emails about a draw attach for whoever wants to check it: addresses and hashes, which nobody has to read. */
import type { EmailFile } from '#features/emails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { type LocalizedText, textIn } from '#shared/localized-text.ts'
import { type EntrySecret, proofFragment } from '#draw-protocol/commitments.ts'
import type { DrawHashes } from './draw-emails.repository.ts'

export interface ProvenDraw extends DrawHashes {
  slug: string
  titles: LocalizedText
  total: number
  /** Of whoever gets the email; none before the draw, when nothing is to be proved yet. */
  proofs: readonly (EntrySecret & { number: number })[]
  /** Further ones, which are under "My participations". */
  more: number
}

interface ProofShop {
  publicUrl: string
  drawUrl: (slug: string, language: Language) => string
}

/** Name and value of each thing that was fixed before the draw. */
export const hashFacts = (draw: DrawHashes, language: Language): { name: string; text: string }[] => [
  { name: translate(language, 'emails.draw.round'), text: String(draw.round) },
  { name: translate(language, 'emails.draw.listHash'), text: draw.list_hash },
  { name: translate(language, 'emails.draw.listRoot'), text: draw.list_root },
  { name: translate(language, 'emails.draw.termsHash'), text: draw.terms_hash },
]

/** A number, and the address that proves it. */
export const proofFacts = (
  {
    slug,
    total,
    terms_hash: termsHash,
    proofs,
  }: Pick<ProvenDraw, 'slug' | 'total' | 'terms_hash' | 'proofs'>,
  shop: ProofShop,
  language: Language,
): { name: string; text: string }[] =>
  proofs.map((proof) => ({
    name: padTicketNumber(proof.number, total),
    text: `${shop.drawUrl(slug, language)}${proofFragment({ ...proof, termsHash })}`,
  }))

/** A text file in the reader's language. */
export function proofFile(draw: ProvenDraw, shop: ProofShop, language: Language): EmailFile {
  const { slug, proofs, more } = draw
  const page = shop.drawUrl(slug, language)
  const lines = (facts: { name: string; text: string }[]): string =>
    facts.map((fact) => translate(language, 'emails.fact', fact)).join('\n')
  const parts = [
    translate(language, 'emails.draw.file.title', { title: textIn(draw.titles, language).text }),
    page,
    ...(proofs.length > 0
      ? [
          translate(language, 'emails.draw.result.proof'),
          lines(proofFacts(draw, shop, language)),
          ...(more > 0 ? [translate(language, 'emails.receipt.more', { count: more })] : []),
        ]
      : []),
    translate(language, 'emails.draw.file.fixed'),
    lines(hashFacts(draw, language)),
    translate(language, 'emails.draw.file.check', {
      pack: `${shop.publicUrl}/draws/${slug}/${slug}-evidence.zip`,
      protocol: `${shop.publicUrl}/draw-v1.md`,
    }),
  ]
  return {
    filename: `${translate(language, 'emails.draw.file.name')}-${slug}.txt`,
    contentType: 'text/plain; charset=utf-8',
    content: Buffer.from(`${parts.join('\n\n')}\n`),
  }
}
