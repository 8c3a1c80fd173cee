// The files of the page. The compiler puts them into the program, and compiles this file again when
// one of them changes.

#include "page.h"

// #embed is of C23; the compiler of Swift 6 has it in every C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char address_js[] = {
#embed "Files/address.js"
};
static const unsigned char app_js[] = {
#embed "Files/app.js"
};
static const unsigned char changes_js[] = {
#embed "Files/changes.js"
};
static const unsigned char code_js[] = {
#embed "Files/code.js"
};
static const unsigned char columns_js[] = {
#embed "Files/columns.js"
};
static const unsigned char conditions_js[] = {
#embed "Files/conditions.js"
};
static const unsigned char controls_css[] = {
#embed "Files/controls.css"
};
static const unsigned char csv_js[] = {
#embed "Files/csv.js"
};
static const unsigned char editing_js[] = {
#embed "Files/editing.js"
};
static const unsigned char graph_layout_align_js[] = {
#embed "Files/graph-layout-align.js"
};
static const unsigned char graph_layout_order_js[] = {
#embed "Files/graph-layout-order.js"
};
static const unsigned char graph_layout_ranks_js[] = {
#embed "Files/graph-layout-ranks.js"
};
static const unsigned char graph_layout_js[] = {
#embed "Files/graph-layout.js"
};
static const unsigned char icon_svg[] = {
#embed "Files/icon.svg"
};
static const unsigned char import_file_js[] = {
#embed "Files/import-file.js"
};
static const unsigned char import_plan_js[] = {
#embed "Files/import-plan.js"
};
static const unsigned char import_targets_js[] = {
#embed "Files/import-targets.js"
};
static const unsigned char import_values_js[] = {
#embed "Files/import-values.js"
};
static const unsigned char importer_js[] = {
#embed "Files/importer.js"
};
static const unsigned char index_html[] = {
#embed "Files/index.html"
};
static const unsigned char live_source_js[] = {
#embed "Files/live-source.js"
};
static const unsigned char model_js[] = {
#embed "Files/model.js"
};
static const unsigned char parts_code_dialog_css[] = {
#embed "Files/parts/code-dialog.css"
};
static const unsigned char parts_code_dialog_js[] = {
#embed "Files/parts/code-dialog.js"
};
static const unsigned char parts_column_dialog_js[] = {
#embed "Files/parts/column-dialog.js"
};
static const unsigned char parts_conflicts_js[] = {
#embed "Files/parts/conflicts.js"
};
static const unsigned char parts_dialog_js[] = {
#embed "Files/parts/dialog.js"
};
static const unsigned char parts_dom_js[] = {
#embed "Files/parts/dom.js"
};
static const unsigned char parts_download_js[] = {
#embed "Files/parts/download.js"
};
static const unsigned char parts_editing_bar_js[] = {
#embed "Files/parts/editing-bar.js"
};
static const unsigned char parts_entity_list_js[] = {
#embed "Files/parts/entity-list.js"
};
static const unsigned char parts_entity_tabs_js[] = {
#embed "Files/parts/entity-tabs.js"
};
static const unsigned char parts_export_dialog_css[] = {
#embed "Files/parts/export-dialog.css"
};
static const unsigned char parts_export_dialog_js[] = {
#embed "Files/parts/export-dialog.js"
};
static const unsigned char parts_field_js[] = {
#embed "Files/parts/field.js"
};
static const unsigned char parts_head_js[] = {
#embed "Files/parts/head.js"
};
static const unsigned char parts_icon_js[] = {
#embed "Files/parts/icon.js"
};
static const unsigned char parts_keys_js[] = {
#embed "Files/parts/keys.js"
};
static const unsigned char parts_notice_js[] = {
#embed "Files/parts/notice.js"
};
static const unsigned char parts_object_panel_js[] = {
#embed "Files/parts/object-panel.js"
};
static const unsigned char parts_object_picker_js[] = {
#embed "Files/parts/object-picker.js"
};
static const unsigned char parts_predicate_bar_js[] = {
#embed "Files/parts/predicate-bar.js"
};
static const unsigned char parts_table_js[] = {
#embed "Files/parts/table.js"
};
static const unsigned char predicate_js[] = {
#embed "Files/predicate.js"
};
static const unsigned char row_source_js[] = {
#embed "Files/row-source.js"
};
static const unsigned char service_js[] = {
#embed "Files/service.js"
};
static const unsigned char session_js[] = {
#embed "Files/session.js"
};
static const unsigned char stream_js[] = {
#embed "Files/stream.js"
};
static const unsigned char style_css[] = {
#embed "Files/style.css"
};
static const unsigned char values_js[] = {
#embed "Files/values.js"
};
static const unsigned char views_api_answer_js[] = {
#embed "Files/views/api-answer.js"
};
static const unsigned char views_api_document_js[] = {
#embed "Files/views/api-document.js"
};
static const unsigned char views_api_field_js[] = {
#embed "Files/views/api-field.js"
};
static const unsigned char views_api_form_js[] = {
#embed "Files/views/api-form.js"
};
static const unsigned char views_api_operation_js[] = {
#embed "Files/views/api-operation.js"
};
static const unsigned char views_api_schema_js[] = {
#embed "Files/views/api-schema.js"
};
static const unsigned char views_api_css[] = {
#embed "Files/views/api.css"
};
static const unsigned char views_api_js[] = {
#embed "Files/views/api.js"
};
static const unsigned char views_chart_choice_js[] = {
#embed "Files/views/chart-choice.js"
};
static const unsigned char views_chart_classes_js[] = {
#embed "Files/views/chart-classes.js"
};
static const unsigned char views_chart_data_js[] = {
#embed "Files/views/chart-data.js"
};
static const unsigned char views_chart_form_js[] = {
#embed "Files/views/chart-form.js"
};
static const unsigned char views_chart_css[] = {
#embed "Files/views/chart.css"
};
static const unsigned char views_chart_js[] = {
#embed "Files/views/chart.js"
};
static const unsigned char views_feed_filter_js[] = {
#embed "Files/views/feed-filter.js"
};
static const unsigned char views_feed_list_js[] = {
#embed "Files/views/feed-list.js"
};
static const unsigned char views_feed_past_js[] = {
#embed "Files/views/feed-past.js"
};
static const unsigned char views_feed_save_js[] = {
#embed "Files/views/feed-save.js"
};
static const unsigned char views_feed_source_js[] = {
#embed "Files/views/feed-source.js"
};
static const unsigned char views_feed_css[] = {
#embed "Files/views/feed.css"
};
static const unsigned char views_feed_js[] = {
#embed "Files/views/feed.js"
};
static const unsigned char views_import_columns_js[] = {
#embed "Files/views/import-columns.js"
};
static const unsigned char views_import_form_js[] = {
#embed "Files/views/import-form.js"
};
static const unsigned char views_import_preview_js[] = {
#embed "Files/views/import-preview.js"
};
static const unsigned char views_import_run_js[] = {
#embed "Files/views/import-run.js"
};
static const unsigned char views_import_css[] = {
#embed "Files/views/import.css"
};
static const unsigned char views_import_js[] = {
#embed "Files/views/import.js"
};
static const unsigned char views_login_js[] = {
#embed "Files/views/login.js"
};
static const unsigned char views_map_camera_js[] = {
#embed "Files/views/map-camera.js"
};
static const unsigned char views_map_dots_js[] = {
#embed "Files/views/map-dots.js"
};
static const unsigned char views_map_places_js[] = {
#embed "Files/views/map-places.js"
};
static const unsigned char views_map_plane_js[] = {
#embed "Files/views/map-plane.js"
};
static const unsigned char views_map_css[] = {
#embed "Files/views/map.css"
};
static const unsigned char views_map_js[] = {
#embed "Files/views/map.js"
};
static const unsigned char views_model_changes_js[] = {
#embed "Files/views/model-changes.js"
};
static const unsigned char views_model_graph_boxes_js[] = {
#embed "Files/views/model-graph-boxes.js"
};
static const unsigned char views_model_graph_content_js[] = {
#embed "Files/views/model-graph-content.js"
};
static const unsigned char views_model_graph_lines_js[] = {
#embed "Files/views/model-graph-lines.js"
};
static const unsigned char views_model_graph_viewport_js[] = {
#embed "Files/views/model-graph-viewport.js"
};
static const unsigned char views_model_graph_js[] = {
#embed "Files/views/model-graph.js"
};
static const unsigned char views_model_table_js[] = {
#embed "Files/views/model-table.js"
};
static const unsigned char views_model_words_js[] = {
#embed "Files/views/model-words.js"
};
static const unsigned char views_model_css[] = {
#embed "Files/views/model.css"
};
static const unsigned char views_model_js[] = {
#embed "Files/views/model.js"
};
static const unsigned char views_plot_scale_js[] = {
#embed "Files/views/plot-scale.js"
};
static const unsigned char views_plot_js[] = {
#embed "Files/views/plot.js"
};
static const unsigned char views_rows_css[] = {
#embed "Files/views/rows.css"
};
static const unsigned char views_rows_js[] = {
#embed "Files/views/rows.js"
};

#define FILE_AT(path, bytes) {path, bytes, sizeof bytes}

static const struct stele_page_file files[] = {
    FILE_AT("address.js", address_js),
    FILE_AT("app.js", app_js),
    FILE_AT("changes.js", changes_js),
    FILE_AT("code.js", code_js),
    FILE_AT("columns.js", columns_js),
    FILE_AT("conditions.js", conditions_js),
    FILE_AT("controls.css", controls_css),
    FILE_AT("csv.js", csv_js),
    FILE_AT("editing.js", editing_js),
    FILE_AT("graph-layout-align.js", graph_layout_align_js),
    FILE_AT("graph-layout-order.js", graph_layout_order_js),
    FILE_AT("graph-layout-ranks.js", graph_layout_ranks_js),
    FILE_AT("graph-layout.js", graph_layout_js),
    FILE_AT("icon.svg", icon_svg),
    FILE_AT("import-file.js", import_file_js),
    FILE_AT("import-plan.js", import_plan_js),
    FILE_AT("import-targets.js", import_targets_js),
    FILE_AT("import-values.js", import_values_js),
    FILE_AT("importer.js", importer_js),
    FILE_AT("index.html", index_html),
    FILE_AT("live-source.js", live_source_js),
    FILE_AT("model.js", model_js),
    FILE_AT("parts/code-dialog.css", parts_code_dialog_css),
    FILE_AT("parts/code-dialog.js", parts_code_dialog_js),
    FILE_AT("parts/column-dialog.js", parts_column_dialog_js),
    FILE_AT("parts/conflicts.js", parts_conflicts_js),
    FILE_AT("parts/dialog.js", parts_dialog_js),
    FILE_AT("parts/dom.js", parts_dom_js),
    FILE_AT("parts/download.js", parts_download_js),
    FILE_AT("parts/editing-bar.js", parts_editing_bar_js),
    FILE_AT("parts/entity-list.js", parts_entity_list_js),
    FILE_AT("parts/entity-tabs.js", parts_entity_tabs_js),
    FILE_AT("parts/export-dialog.css", parts_export_dialog_css),
    FILE_AT("parts/export-dialog.js", parts_export_dialog_js),
    FILE_AT("parts/field.js", parts_field_js),
    FILE_AT("parts/head.js", parts_head_js),
    FILE_AT("parts/icon.js", parts_icon_js),
    FILE_AT("parts/keys.js", parts_keys_js),
    FILE_AT("parts/notice.js", parts_notice_js),
    FILE_AT("parts/object-panel.js", parts_object_panel_js),
    FILE_AT("parts/object-picker.js", parts_object_picker_js),
    FILE_AT("parts/predicate-bar.js", parts_predicate_bar_js),
    FILE_AT("parts/table.js", parts_table_js),
    FILE_AT("predicate.js", predicate_js),
    FILE_AT("row-source.js", row_source_js),
    FILE_AT("service.js", service_js),
    FILE_AT("session.js", session_js),
    FILE_AT("stream.js", stream_js),
    FILE_AT("style.css", style_css),
    FILE_AT("values.js", values_js),
    FILE_AT("views/api-answer.js", views_api_answer_js),
    FILE_AT("views/api-document.js", views_api_document_js),
    FILE_AT("views/api-field.js", views_api_field_js),
    FILE_AT("views/api-form.js", views_api_form_js),
    FILE_AT("views/api-operation.js", views_api_operation_js),
    FILE_AT("views/api-schema.js", views_api_schema_js),
    FILE_AT("views/api.css", views_api_css),
    FILE_AT("views/api.js", views_api_js),
    FILE_AT("views/chart-choice.js", views_chart_choice_js),
    FILE_AT("views/chart-classes.js", views_chart_classes_js),
    FILE_AT("views/chart-data.js", views_chart_data_js),
    FILE_AT("views/chart-form.js", views_chart_form_js),
    FILE_AT("views/chart.css", views_chart_css),
    FILE_AT("views/chart.js", views_chart_js),
    FILE_AT("views/feed-filter.js", views_feed_filter_js),
    FILE_AT("views/feed-list.js", views_feed_list_js),
    FILE_AT("views/feed-past.js", views_feed_past_js),
    FILE_AT("views/feed-save.js", views_feed_save_js),
    FILE_AT("views/feed-source.js", views_feed_source_js),
    FILE_AT("views/feed.css", views_feed_css),
    FILE_AT("views/feed.js", views_feed_js),
    FILE_AT("views/import-columns.js", views_import_columns_js),
    FILE_AT("views/import-form.js", views_import_form_js),
    FILE_AT("views/import-preview.js", views_import_preview_js),
    FILE_AT("views/import-run.js", views_import_run_js),
    FILE_AT("views/import.css", views_import_css),
    FILE_AT("views/import.js", views_import_js),
    FILE_AT("views/login.js", views_login_js),
    FILE_AT("views/map-camera.js", views_map_camera_js),
    FILE_AT("views/map-dots.js", views_map_dots_js),
    FILE_AT("views/map-places.js", views_map_places_js),
    FILE_AT("views/map-plane.js", views_map_plane_js),
    FILE_AT("views/map.css", views_map_css),
    FILE_AT("views/map.js", views_map_js),
    FILE_AT("views/model-changes.js", views_model_changes_js),
    FILE_AT("views/model-graph-boxes.js", views_model_graph_boxes_js),
    FILE_AT("views/model-graph-content.js", views_model_graph_content_js),
    FILE_AT("views/model-graph-lines.js", views_model_graph_lines_js),
    FILE_AT("views/model-graph-viewport.js", views_model_graph_viewport_js),
    FILE_AT("views/model-graph.js", views_model_graph_js),
    FILE_AT("views/model-table.js", views_model_table_js),
    FILE_AT("views/model-words.js", views_model_words_js),
    FILE_AT("views/model.css", views_model_css),
    FILE_AT("views/model.js", views_model_js),
    FILE_AT("views/plot-scale.js", views_plot_scale_js),
    FILE_AT("views/plot.js", views_plot_js),
    FILE_AT("views/rows.css", views_rows_css),
    FILE_AT("views/rows.js", views_rows_js),
};

struct stele_page_file stele_page_file(size_t index) {
    struct stele_page_file none = {0};
    return index < sizeof files / sizeof *files ? files[index] : none;
}
