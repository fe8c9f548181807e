import type { FastifyRequest } from 'fastify'
import type { Language } from '../model.ts'

const languages: readonly Language[] = ['fr', 'nl', 'en']

const isLanguage = (text: string): text is Language => languages.some((language) => language === text)

/** The first of the wishes (`fr_BE`, `nl-BE`), then the browser's list, that is one of ours. */
export function languageOf(
  request: FastifyRequest,
  fallback: Language,
  ...wishes: readonly string[]
): Language {
  const listed = (request.headers['accept-language'] ?? '').split(',')
  for (const wish of [...wishes, ...listed]) {
    const short = wish.trim().slice(0, 2).toLowerCase()
    if (isLanguage(short)) return short
  }
  return fallback
}
