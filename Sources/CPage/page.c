// The files of the page. The compiler puts them into the program, and compiles this file again when
// one of them changes.

#include "page.h"

// #embed is of C23; the compiler of Swift 6 has it in every C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct stele_page_file files[] = {
    {"address.js", (const char[]){
#embed "Files/address.js" suffix(, 0) if_empty(0)
    }},
    {"app.js", (const char[]){
#embed "Files/app.js" suffix(, 0) if_empty(0)
    }},
    {"base.css", (const char[]){
#embed "Files/base.css" suffix(, 0) if_empty(0)
    }},
    {"code.js", (const char[]){
#embed "Files/code.js" suffix(, 0) if_empty(0)
    }},
    {"columns.js", (const char[]){
#embed "Files/columns.js" suffix(, 0) if_empty(0)
    }},
    {"conditions.js", (const char[]){
#embed "Files/conditions.js" suffix(, 0) if_empty(0)
    }},
    {"context.js", (const char[]){
#embed "Files/context.js" suffix(, 0) if_empty(0)
    }},
    {"controls.css", (const char[]){
#embed "Files/controls.css" suffix(, 0) if_empty(0)
    }},
    {"editing.js", (const char[]){
#embed "Files/editing.js" suffix(, 0) if_empty(0)
    }},
    {"icon.svg", (const char[]){
#embed "Files/icon.svg" suffix(, 0) if_empty(0)
    }},
    {"index.html", (const char[]){
#embed "Files/index.html" suffix(, 0) if_empty(0)
    }},
    {"model.js", (const char[]){
#embed "Files/model.js" suffix(, 0) if_empty(0)
    }},
    {"parts/code-dialog.css", (const char[]){
#embed "Files/parts/code-dialog.css" suffix(, 0) if_empty(0)
    }},
    {"parts/code-dialog.js", (const char[]){
#embed "Files/parts/code-dialog.js" suffix(, 0) if_empty(0)
    }},
    {"parts/dialog.js", (const char[]){
#embed "Files/parts/dialog.js" suffix(, 0) if_empty(0)
    }},
    {"parts/dom.js", (const char[]){
#embed "Files/parts/dom.js" suffix(, 0) if_empty(0)
    }},
    {"parts/download.js", (const char[]){
#embed "Files/parts/download.js" suffix(, 0) if_empty(0)
    }},
    {"parts/entity-list.js", (const char[]){
#embed "Files/parts/entity-list.js" suffix(, 0) if_empty(0)
    }},
    {"parts/entity-tabs.js", (const char[]){
#embed "Files/parts/entity-tabs.js" suffix(, 0) if_empty(0)
    }},
    {"parts/export-dialog.css", (const char[]){
#embed "Files/parts/export-dialog.css" suffix(, 0) if_empty(0)
    }},
    {"parts/export-dialog.js", (const char[]){
#embed "Files/parts/export-dialog.js" suffix(, 0) if_empty(0)
    }},
    {"parts/field.js", (const char[]){
#embed "Files/parts/field.js" suffix(, 0) if_empty(0)
    }},
    {"parts/head.js", (const char[]){
#embed "Files/parts/head.js" suffix(, 0) if_empty(0)
    }},
    {"parts/icon.js", (const char[]){
#embed "Files/parts/icon.js" suffix(, 0) if_empty(0)
    }},
    {"parts/keys.js", (const char[]){
#embed "Files/parts/keys.js" suffix(, 0) if_empty(0)
    }},
    {"parts/lost-steps.js", (const char[]){
#embed "Files/parts/lost-steps.js" suffix(, 0) if_empty(0)
    }},
    {"parts/notice.js", (const char[]){
#embed "Files/parts/notice.js" suffix(, 0) if_empty(0)
    }},
    {"parts/predicate-bar.js", (const char[]){
#embed "Files/parts/predicate-bar.js" suffix(, 0) if_empty(0)
    }},
    {"parts/table.js", (const char[]){
#embed "Files/parts/table.js" suffix(, 0) if_empty(0)
    }},
    {"predicate.js", (const char[]){
#embed "Files/predicate.js" suffix(, 0) if_empty(0)
    }},
    {"service.js", (const char[]){
#embed "Files/service.js" suffix(, 0) if_empty(0)
    }},
    {"session.js", (const char[]){
#embed "Files/session.js" suffix(, 0) if_empty(0)
    }},
    {"stream.js", (const char[]){
#embed "Files/stream.js" suffix(, 0) if_empty(0)
    }},
    {"style.css", (const char[]){
#embed "Files/style.css" suffix(, 0) if_empty(0)
    }},
    {"values.js", (const char[]){
#embed "Files/values.js" suffix(, 0) if_empty(0)
    }},
    {"views/api/answer.js", (const char[]){
#embed "Files/views/api/answer.js" suffix(, 0) if_empty(0)
    }},
    {"views/api/api.css", (const char[]){
#embed "Files/views/api/api.css" suffix(, 0) if_empty(0)
    }},
    {"views/api/api.js", (const char[]){
#embed "Files/views/api/api.js" suffix(, 0) if_empty(0)
    }},
    {"views/api/document.js", (const char[]){
#embed "Files/views/api/document.js" suffix(, 0) if_empty(0)
    }},
    {"views/api/field.js", (const char[]){
#embed "Files/views/api/field.js" suffix(, 0) if_empty(0)
    }},
    {"views/api/form.js", (const char[]){
#embed "Files/views/api/form.js" suffix(, 0) if_empty(0)
    }},
    {"views/api/operation.js", (const char[]){
#embed "Files/views/api/operation.js" suffix(, 0) if_empty(0)
    }},
    {"views/api/schema.js", (const char[]){
#embed "Files/views/api/schema.js" suffix(, 0) if_empty(0)
    }},
    {"views/chart/chart.css", (const char[]){
#embed "Files/views/chart/chart.css" suffix(, 0) if_empty(0)
    }},
    {"views/chart/chart.js", (const char[]){
#embed "Files/views/chart/chart.js" suffix(, 0) if_empty(0)
    }},
    {"views/chart/choice.js", (const char[]){
#embed "Files/views/chart/choice.js" suffix(, 0) if_empty(0)
    }},
    {"views/chart/classes.js", (const char[]){
#embed "Files/views/chart/classes.js" suffix(, 0) if_empty(0)
    }},
    {"views/chart/data.js", (const char[]){
#embed "Files/views/chart/data.js" suffix(, 0) if_empty(0)
    }},
    {"views/chart/form.js", (const char[]){
#embed "Files/views/chart/form.js" suffix(, 0) if_empty(0)
    }},
    {"views/chart/plot.js", (const char[]){
#embed "Files/views/chart/plot.js" suffix(, 0) if_empty(0)
    }},
    {"views/chart/scale.js", (const char[]){
#embed "Files/views/chart/scale.js" suffix(, 0) if_empty(0)
    }},
    {"views/feed/changes.js", (const char[]){
#embed "Files/views/feed/changes.js" suffix(, 0) if_empty(0)
    }},
    {"views/feed/feed.css", (const char[]){
#embed "Files/views/feed/feed.css" suffix(, 0) if_empty(0)
    }},
    {"views/feed/feed.js", (const char[]){
#embed "Files/views/feed/feed.js" suffix(, 0) if_empty(0)
    }},
    {"views/feed/filter.js", (const char[]){
#embed "Files/views/feed/filter.js" suffix(, 0) if_empty(0)
    }},
    {"views/feed/list.js", (const char[]){
#embed "Files/views/feed/list.js" suffix(, 0) if_empty(0)
    }},
    {"views/feed/past.js", (const char[]){
#embed "Files/views/feed/past.js" suffix(, 0) if_empty(0)
    }},
    {"views/feed/save.js", (const char[]){
#embed "Files/views/feed/save.js" suffix(, 0) if_empty(0)
    }},
    {"views/feed/source.js", (const char[]){
#embed "Files/views/feed/source.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/columns.js", (const char[]){
#embed "Files/views/import/columns.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/csv.js", (const char[]){
#embed "Files/views/import/csv.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/file.js", (const char[]){
#embed "Files/views/import/file.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/form.js", (const char[]){
#embed "Files/views/import/form.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/import.css", (const char[]){
#embed "Files/views/import/import.css" suffix(, 0) if_empty(0)
    }},
    {"views/import/import.js", (const char[]){
#embed "Files/views/import/import.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/importer.js", (const char[]){
#embed "Files/views/import/importer.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/plan.js", (const char[]){
#embed "Files/views/import/plan.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/preview.js", (const char[]){
#embed "Files/views/import/preview.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/run.js", (const char[]){
#embed "Files/views/import/run.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/targets.js", (const char[]){
#embed "Files/views/import/targets.js" suffix(, 0) if_empty(0)
    }},
    {"views/import/values.js", (const char[]){
#embed "Files/views/import/values.js" suffix(, 0) if_empty(0)
    }},
    {"views/login.js", (const char[]){
#embed "Files/views/login.js" suffix(, 0) if_empty(0)
    }},
    {"views/map/camera.js", (const char[]){
#embed "Files/views/map/camera.js" suffix(, 0) if_empty(0)
    }},
    {"views/map/dots.js", (const char[]){
#embed "Files/views/map/dots.js" suffix(, 0) if_empty(0)
    }},
    {"views/map/map.css", (const char[]){
#embed "Files/views/map/map.css" suffix(, 0) if_empty(0)
    }},
    {"views/map/map.js", (const char[]){
#embed "Files/views/map/map.js" suffix(, 0) if_empty(0)
    }},
    {"views/map/places.js", (const char[]){
#embed "Files/views/map/places.js" suffix(, 0) if_empty(0)
    }},
    {"views/map/plane.js", (const char[]){
#embed "Files/views/map/plane.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/boxes.js", (const char[]){
#embed "Files/views/model/boxes.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/changes.js", (const char[]){
#embed "Files/views/model/changes.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/content.js", (const char[]){
#embed "Files/views/model/content.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/graph.js", (const char[]){
#embed "Files/views/model/graph.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/layout/align.js", (const char[]){
#embed "Files/views/model/layout/align.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/layout/layout.js", (const char[]){
#embed "Files/views/model/layout/layout.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/layout/order.js", (const char[]){
#embed "Files/views/model/layout/order.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/layout/ranks.js", (const char[]){
#embed "Files/views/model/layout/ranks.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/lines.js", (const char[]){
#embed "Files/views/model/lines.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/model.css", (const char[]){
#embed "Files/views/model/model.css" suffix(, 0) if_empty(0)
    }},
    {"views/model/model.js", (const char[]){
#embed "Files/views/model/model.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/table.js", (const char[]){
#embed "Files/views/model/table.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/viewport.js", (const char[]){
#embed "Files/views/model/viewport.js" suffix(, 0) if_empty(0)
    }},
    {"views/model/words.js", (const char[]){
#embed "Files/views/model/words.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/column-dialog.js", (const char[]){
#embed "Files/views/rows/column-dialog.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/conflicts.js", (const char[]){
#embed "Files/views/rows/conflicts.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/editing-bar.js", (const char[]){
#embed "Files/views/rows/editing-bar.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/live-source.js", (const char[]){
#embed "Files/views/rows/live-source.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/new-object.js", (const char[]){
#embed "Files/views/rows/new-object.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/object-panel.js", (const char[]){
#embed "Files/views/rows/object-panel.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/object-picker.js", (const char[]){
#embed "Files/views/rows/object-picker.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/review.js", (const char[]){
#embed "Files/views/rows/review.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/row-source.js", (const char[]){
#embed "Files/views/rows/row-source.js" suffix(, 0) if_empty(0)
    }},
    {"views/rows/rows.css", (const char[]){
#embed "Files/views/rows/rows.css" suffix(, 0) if_empty(0)
    }},
    {"views/rows/rows.js", (const char[]){
#embed "Files/views/rows/rows.js" suffix(, 0) if_empty(0)
    }},
};

struct stele_page_file stele_page_file(size_t index) {
    struct stele_page_file none = {0};
    return index < sizeof files / sizeof *files ? files[index] : none;
}
