import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { Policy } from '../policies.contract.ts'
import type { PolicyFacts } from './policy-facts.ts'
import { policyPdf } from './policy-pdf.ts'
import { policyIn } from './policy-texts.ts'

interface PoliciesRoutesOptions {
  facts: PolicyFacts
  /** The address of the PDF in each language. */
  pdfPath: (language: Language) => string
}

/** How long browsers keep a PDF, in seconds: its texts change with a release or a restart only. */
const PDF_MAX_AGE_S = 300

/** The rules as data for the page, and as a PDF in each language (spec section 2, "Rules page" and "policy banner"). */
export const policiesRoutes =
  ({ facts, pdfPath }: PoliciesRoutesOptions) =>
  async (root: FastifyInstance): Promise<void> => {
    const app = root.withTypeProvider<ZodTypeProvider>()
    const policies = Object.fromEntries(
      LANGUAGES.map((language) => [language, policyIn(language, facts)]),
    ) as Record<Language, Policy>
    const pdfs = new Map<Language, Promise<Buffer>>()

    app.get(
      '/api/policies/terms/',
      { config: { auth: 'ignored' }, schema: { tags: ['policies'], response: { 200: Policy } } },
      async ({ language }, reply) => {
        reply.header('content-language', language).header('vary', 'accept-language, cookie')
        return policies[language]
      },
    )

    for (const language of LANGUAGES) {
      const path = pdfPath(language)
      app.get(path, { config: { auth: 'ignored' }, schema: { hide: true } }, async (_request, reply) => {
        const pdf = pdfs.get(language) ?? policyPdf(policies[language], language, facts.brand)
        pdfs.set(language, pdf)
        reply
          .type('application/pdf')
          .header('content-disposition', `inline; filename="${path.slice(1)}"`)
          .header('content-language', language)
          .header('cache-control', `public, max-age=${PDF_MAX_AGE_S}`)
        return reply.send(await pdf)
      })
    }
  }
