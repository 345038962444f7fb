/** The languages of what people read: the widget, the pages of respondents, and evidence. */
export const languages = ['en', 'de', 'fr', 'es', 'pt', 'ar', 'ja'] as const;
export type Language = (typeof languages)[number];
