/** Id of the section with the steps, for the link of the hero. */
export const HOW = 'how'
