import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { inThread } from '#platform/documents/documents.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { Policy } from '../policies.contract.ts'
import type { PolicyFacts } from './policy-facts.ts'
import type { policyPdf as draw } from './policy-pdf.ts'
import { accessibilityIn, policyIn } from './policy-texts.ts'

interface PoliciesRoutesOptions {
  facts: PolicyFacts
  pdfPath: (language: Language) => string
}

/** In seconds; texts change only with a release or a restart. */
const PDF_MAX_AGE_S = 300

const policyPdf = inThread<typeof draw>(new URL('./policy-pdf.ts', import.meta.url), 'policyPdf')

const inEach = (make: (language: Language) => Policy) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<Language, Policy>

/** The legal texts as data, and the rules as a PDF in each language (spec section 2, "Rules page", "policy banner"). */
export const policiesRoutes =
  ({ facts, pdfPath }: PoliciesRoutesOptions) =>
  async (root: FastifyInstance): Promise<void> => {
    const app = root.withTypeProvider<ZodTypeProvider>()
    const policies = inEach((language) => policyIn(language, facts))
    const statements = inEach((language) => accessibilityIn(language, facts))

    for (const [name, texts] of Object.entries({ terms: policies, accessibility: statements })) {
      app.get(
        `/api/policies/${name}/`,
        { config: { auth: 'ignored' }, schema: { tags: ['policies'], response: { 200: Policy } } },
        async ({ language }, reply) => {
          reply.header('content-language', language).header('vary', 'accept-language, cookie')
          return texts[language]
        },
      )
    }

    for (const language of LANGUAGES) {
      const path = pdfPath(language)
      app.get(path, { config: { auth: 'ignored' }, schema: { hide: true } }, async (_request, reply) => {
        const pdf = await policyPdf('policies', policies[language], language, facts.brand)
        reply
          .type('application/pdf')
          .header('content-disposition', `inline; filename="${path.slice(1)}"`)
          .header('content-language', language)
          .header('cache-control', `public, max-age=${PDF_MAX_AGE_S}`)
        return reply.send(pdf)
      })
    }
  }
