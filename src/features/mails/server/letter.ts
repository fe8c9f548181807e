import type { Language } from '#shared/languages.ts'

/** What every mail says of the shop. */
export interface MailShop {
  brand: string
  /** Public address without a trailing slash. */
  publicUrl: string
  contactEmail: string
}

/** A part of a letter. All texts are plain: what people have typed needs no care of the caller. */
export type Block =
  | { kind: 'heading' | 'text' | 'note'; text: string }
  /** What somebody has written, with its line breaks. */
  | { kind: 'quote'; text: string }
  | { kind: 'button'; label: string; url: string }
  | { kind: 'facts'; facts: readonly Fact[] }
  /** Ticket numbers as number plates. */
  | { kind: 'plates'; numbers: readonly string[] }

export interface Fact {
  name: string
  text: string
  /** The line that counts: a total. */
  isStrong?: boolean
}

export interface Letter {
  language: Language
  subject: string
  /** The first lines that a list of mails shows. */
  preview: string
  /** Large words on top; the subject when left out. */
  title?: string
  blocks: readonly Block[]
}

/** What frames the blocks of every letter. */
export interface Frame extends MailShop {
  language: Language
  subject: string
  preview: string
  title: string
  footer: string
}
