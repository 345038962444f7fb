-- Sessions whose label has to be looked at again are taken in turn from every project that has some, as adjudications are.
CREATE INDEX label_work_by_project ON label_work (project_id, work_id);
