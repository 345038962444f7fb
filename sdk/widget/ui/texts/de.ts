import type { LoadedTexts } from './en.js';

export const texts: LoadedTexts = {
  box: 'Ich bin ein Mensch',
  slide: 'Schieben, um zu bestätigen: Ich bin ein Mensch',
  done: 'Danke, alles erledigt',
  intro: [
    'Kurze Prüfung: Sind Sie ein echter Mensch?',
    'Sie dauert etwa 30 Sekunden. Schauen Sie in die Kamera und folgen Sie einigen Anweisungen.',
  ],
  start: 'Starten',
  test: 'Testmodus',
  neutral: 'Eine kurze Prüfung bestätigt, dass Antworten von echten Menschen stammen.',
  transparent:
    'Um Bots fernzuhalten, prüfen wir Ihr Gerät und wie Sie es bedienen, zum Beispiel Maus- oder Fingerbewegungen. Mit Ihrer Einwilligung vermessen wir auch Ihr Gesicht. Das Ergebnis erhält der Betreiber dieser Seite.',
  consent: [
    'Dürfen wir Ihre Kamera nutzen?',
    '{company} prüft, dass Teilnehmende echte Menschen sind und nur einmal teilnehmen. Schauen Sie in die Kamera und folgen Sie einigen Anweisungen.',
  ],
  measured:
    'Ihr Gerät misst Form und Bewegung Ihres Gesichts. Wir verwenden diese biometrischen Daten nur, um Fälschungen und wiederholte Teilnahmen zu erkennen.',
  demographics: 'Ihr Gerät schätzt außerdem Ihr Alter, Ihr Geschlecht und Ihren Hautton.',
  consentLocal: 'Bilder und Video verlassen Ihr Gerät nie. Wir erhalten nur die Messwerte.',
  pictures:
    'Wir erhalten außerdem einige kleine Graustufenbilder Ihres Gesichts. Software prüft sie, und wir speichern sie nicht. Video verlässt Ihr Gerät nie.',
  ownCompared: 'Wir vergleichen Ihr Gesicht mit Ihren eigenen früheren Prüfungen.',
  copiesFound:
    'Außerdem vergleichen wir die Messwerte mit allen Prüfungen bei {company}, nur um doppelt gesendete Aufnahmen zu erkennen.',
  reuseFound:
    'Wir vergleichen Ihr Gesicht auch mit allen Prüfungen bei {company} der letzten 24 Stunden, nur um ein für mehrere Teilnehmende verwendetes Gesicht zu erkennen.',
  studyCompared: 'Wir vergleichen die Messwerte mit denen der anderen Teilnehmenden dieser Studie.',
  projectCompared: 'Wir vergleichen die Messwerte mit denen der anderen Teilnehmenden dieses Projekts.',
  groupCompared:
    'Wir vergleichen die Messwerte mit denen der Teilnehmenden dieses und verwandter Projekte von {company}.',
  kept: 'Wir speichern die Messwerte höchstens {days} und löschen sie dann.',
  counted: 'Sie können nach {days} erneut teilnehmen.',
  consentOff: 'Die Kamera schaltet sich ab, wenn die Prüfung endet.',
  consentFree: 'Sie entscheiden: Sie können auch ohne Kamera fortfahren.',
  ask: 'Sie können Ihre Einwilligung jederzeit widerrufen und Ihre Daten löschen lassen. Wenden Sie sich dazu an {company}.',
  agree: 'Ich stimme zu, Kamera nutzen',
  decline: 'Ohne Kamera fortfahren',
  refuse: 'Nein, danke',
  privacy: 'Datenschutzerklärung',
  support: 'Brauchen Sie Hilfe?',
  ready: 'Ihre Kamera wird gestartet …',
  allow: 'Wenn Ihr Browser fragt, wählen Sie „Zulassen“.',
  look_straight: 'Schauen Sie direkt in die Kamera.',
  no_face: 'Bewegen Sie Ihr Gesicht ins Bild.',
  too_far: 'Kommen Sie etwas näher.',
  too_dark: 'Gehen Sie an einen helleren Ort.',
  many_faces: 'Achten Sie darauf, dass nur Ihr Gesicht im Bild ist.',
  blink: 'Blinzeln Sie langsam',
  turn_left: 'Drehen Sie den Kopf nach links',
  turn_right: 'Drehen Sie den Kopf nach rechts',
  nod: 'Nicken Sie mit dem Kopf',
  smile: 'Lächeln Sie',
  step: 'Schritt {n} von {total}',
  good: 'Gut gemacht!',
  secondsLeft: 'Verbleibende Sekunden: {n}',
  more: 'Mehr Zeit',
  cancel: 'Abbrechen',
  pass: ['Vielen Dank!', 'Die Prüfung ist abgeschlossen. Sie können fortfahren.'],
  without: ['Weiter ohne Kamera', 'Kein Problem. Sie können fortfahren.'],
  noted: ['Ihre Antwort wurde gespeichert', 'Fragen? Wenden Sie sich an den Betreiber dieser Seite.'],
  fail: [
    'Wir konnten Sie nicht verifizieren',
    'Das kann zum Beispiel bei schlechtem Licht vorkommen. Schauen Sie bei gutem Licht in die Kamera und versuchen Sie es erneut.',
  ],
  deviceHelp:
    'Wir konnten Ihr Gerät nicht bestätigen. Versuchen Sie es in Ihrem üblichen Browser erneut oder wenden Sie sich an den Betreiber dieser Seite.',
  spent: ['Keine Versuche mehr', 'Wenden Sie sich an den Betreiber dieser Seite.'],
  duplicate: [
    'Sie haben möglicherweise schon teilgenommen',
    'Wenn das ein Irrtum ist, wenden Sie sich an den Betreiber dieser Seite.',
  ],
  needsCamera: [
    'Für diese Prüfung wird Ihre Kamera benötigt',
    'Versuchen Sie es mit Kamera erneut, oder fragen Sie den Betreiber dieser Seite nach einer Alternative.',
  ],
  denied: [
    'Der Kamerazugriff ist blockiert',
    'Klicken Sie in der Adressleiste auf das Kamerasymbol, erlauben Sie die Kamera und versuchen Sie es erneut.',
  ],
  busy: [
    'Ihre Kamera wird gerade verwendet',
    'Vielleicht nutzt sie eine andere App, etwa für einen Videoanruf. Schließen Sie diese und versuchen Sie es erneut.',
  ],
  dismissed: [
    'Kamerazugriff wird benötigt',
    'Versuchen Sie es erneut und wählen Sie „Zulassen“, wenn Ihr Browser fragt.',
  ],
  canceled: ['Sie haben die Prüfung abgebrochen', 'Versuchen Sie es erneut, wenn Sie bereit sind.'],
  none: [
    'Keine Kamera gefunden',
    'Schließen Sie eine Kamera an oder öffnen Sie diese Seite auf einem Smartphone. Versuchen Sie es dann erneut.',
  ],
  expired: ['Diese Prüfung ist abgelaufen', 'Starten Sie erneut, um fortzufahren.'],
  wait: ['Gerade ist viel los', 'Warten Sie eine Minute und versuchen Sie es dann erneut.'],
};
