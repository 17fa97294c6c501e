import type { Annotation, AnnotationContent } from '#shared/schemas/annotation.ts';

/** The texts of the form. */
export interface Draft {
  displayName: string;
  /** With commas between. */
  tags: string;
  note: string;
  isBaseline: boolean;
}

/** Returns the form of an annotation. */
export function getDraft({ displayName, tags, note, isBaseline }: Annotation): Draft {
  return { displayName: displayName ?? '', tags: tags.join(', '), note, isBaseline };
}

/** Returns the content that a form describes; without blank and repeated tags. */
export function getContent({ displayName, tags, note, isBaseline }: Draft): AnnotationContent {
  const words = tags.split(',').map((tag) => tag.trim());
  return {
    displayName: displayName.trim() || null,
    tags: [...new Set(words.filter(Boolean))],
    note,
    isBaseline,
  };
}

/** Returns whether two forms describe the same content. */
export function isSameDraft(one: Draft, other: Draft): boolean {
  return JSON.stringify(getContent(one)) === JSON.stringify(getContent(other));
}
