import type { ComponentType } from 'react'
import { createContext } from 'react-router'
import type { ScreenCatalogue } from '#i18n/namespaces.ts'
import type { Language } from '#shared/languages.ts'
import { type TextFields, anyText } from '#shared/localized-text.ts'
import type { ApprovalPermission, StaffPermission } from '#shared/staff-permissions.ts'
import { fromFields } from '#shared/text-fields.ts'

/** What a request says of the action that it asks consent for, as the asking slice wrote it. */
export type AskedPreview = Readonly<Record<string, unknown>>

type Part = ComponentType<{ preview: AskedPreview }>

/** How the screen of approvals shows one kind of action. */
export interface ApprovalView {
  /** What is asked for, in words. */
  What: Part
  /** What is read before consent, besides the reason. */
  Details?: Part
  /** Of an action whose effect moves while it waits: the call that tells what it would do now, which Details shows. */
  now?: {
    path: (preview: AskedPreview) => string
    /** The sum that consent is given to. */
    sumOf: (now: AskedPreview) => string
  }
}

/** How a slice shows the actions that it asks consent for. */
export interface ApprovalKinds {
  /** The texts that its views need. */
  catalogues: readonly ScreenCatalogue[]
  views: Partial<Record<ApprovalPermission, ApprovalView>>
}

export type ApprovalViews = Partial<Record<StaffPermission, ApprovalView>>

/** Views of every kind, with their texts; the application collects them from the slices. */
export type LoadApprovalViews = () => Promise<ApprovalViews>
export const approvalViews = createContext<LoadApprovalViews>()

/** A text of a preview; empty where it has none. */
export function textOf(preview: AskedPreview, name: string): string {
  const value = preview[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The title of its contest in the reader's language, else in any. */
export const titleIn = (preview: AskedPreview, language: Language): string =>
  anyText(fromFields('title', preview as TextFields<'title'>), language)
