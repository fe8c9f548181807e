import { randomUUID } from 'node:crypto'

/** A UUID of version 7, whose order by time fills index pages in turn. @param atMs milliseconds since the epoch */
export function newId(atMs: number): string {
  const time = atMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** The smallest id of that time, or a later one. @param atMs milliseconds since the epoch */
export function firstIdAt(atMs: number): string {
  const time = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text is a UUID, which the database would refuse otherwise. */
export const isUuid = (text: string): boolean => UUID.test(text)
