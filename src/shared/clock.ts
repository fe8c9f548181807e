/** Deadlines of money and tickets use the clock of the database instead. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

export const nowMs = (): number => Date.now()
